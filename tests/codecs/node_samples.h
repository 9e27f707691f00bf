// Small nodes of every encoding in every width that it has, with every kind of child, for tests
// that damage them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal::test {

struct NodeSample {
  // What its codes stand for, where it is a shared dictionary.
  static constexpr size_t kEntries = 64;
  SharedDictionary dictionary() const {
    static const std::vector<uint64_t> kValues(kEntries, 0x0123456789ABCDEF);
    return {kValues.data(), kEntries, width};
  }
  Encoding encoding() const { return static_cast<Encoding>(node[0]); }

  std::string what;
  Bytes node;
  int width;
  size_t count;
};

// A field of the header (E-001).
struct HeaderField {
  std::string name;
  size_t at;
  size_t size;
};
inline const HeaderField kHeaderFields[] = {
    {"encoding", 0, 1}, {"width", 1, 1},        {"param", 2, 1}, {"flags", 3, 1},
    {"count", 4, 4},    {"payload size", 8, 4}, {"aux", 12, 4}};

inline uint64_t Get(const Bytes& node, const HeaderField& field) {
  return field.size == 1 ? LoadLE<uint8_t>(&node[field.at]) : LoadLE<uint32_t>(&node[field.at]);
}

inline Bytes With(Bytes node, const HeaderField& field, uint64_t value) {
  if (field.size == 1) {
    StoreLE(&node[field.at], static_cast<uint8_t>(value));
  } else {
    StoreLE(&node[field.at], static_cast<uint32_t>(value));
  }
  return node;
}

inline std::vector<NodeSample> NodeSamples() {
  std::vector<NodeSample> samples;
  const EncodePlan raw = Plan(Encoding::kRaw);
  const EncodePlan packed = Plan(Encoding::kPacked);
  for (const int width : {1, 2, 4, 8}) {
    const std::vector<std::pair<size_t, EncodePlan>> plans = {
        {0, raw},
        {1, Plan(Encoding::kConstant)},
        {4, packed},
        {9, Plan(Encoding::kDelta, {packed})},
        {6, Plan(Encoding::kRuns, {packed, packed})},
        {7, Plan(Encoding::kDictionary, {raw, packed})},
        {7, Plan(Encoding::kDictionary, {packed, Plan(Encoding::kCompressed, {raw}, 1)})},
        {8, Plan(Encoding::kSparse, {packed, raw})},
        {10, Plan(Encoding::kSplit, {packed, packed}, 3, 0)},
        {8, Plan(Encoding::kSkewed, {packed, raw})},
        {11, Plan(Encoding::kDecimal, {packed, packed, raw}, 2)},
        {6, Plan(Encoding::kCompressed, {raw}, 1)},
        {6, Plan(Encoding::kCompressed, {raw}, 2)},
    };
    EncodeTuning tuning;
    tuning.accept_ratio = 1.0;
    for (const auto& [shape, plan] : plans) {
      const size_t count = 260;
      const Array array(width, Shapes()[shape].make(count, width, 11));
      samples.push_back({plan.ToString() + " u" + std::to_string(8 * width),
                         Encode(array, plan, tuning), width, count});
    }
    for (const size_t literals : {size_t{0}, size_t{9}}) {
      std::vector<uint32_t> codes(90);
      for (size_t i = 0; i < codes.size(); ++i) {
        const bool is_literal = i % 10 == 3 && literals != 0;
        codes[i] =
            static_cast<uint32_t>(is_literal ? NodeSample::kEntries : i * 7 % NodeSample::kEntries);
      }
      const Array own(width, Generate(literals, [](size_t i) { return 100 + i; }));
      Bytes node;
      const InnerEncoder encode = ByPlan(packed, tuning);
      EncodeSharedCodes(codes, encode, own.view(), encode, &node);
      samples.push_back({"shared dictionary u" + std::to_string(8 * width) + ", " +
                             std::to_string(literals) + " literals",
                         node, width, codes.size()});
    }
  }
  return samples;
}

}  // namespace dsi::internal::test
