// One encoding in both directions: any bytes as a node of it, then its values, or where it is
// refused its payload as values, encoded by a plan of it with any fields and any children.
// DSI_FUZZ_ENCODING is the name of the encoding; one executable is made for each.
//
// Input: a node. Its first byte, where the encoding stands in a file, says how it is decoded by the
// bits in which it differs from the encoding: a golden node is an input as it is. Its header gives
// the parameters of the plan, its end the children and, before them, the tuning.

#include <algorithm>

#include "dsi/codecs/node_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/fuzz/node_checks.h"

namespace {

using namespace dsi::internal;
using namespace dsi::internal::fuzz;

enum HowToDecode : unsigned {
  kNoDictionary = 1,
  kNarrowDictionary = 2,  // Of width 1, whatever the node says.
  kFewerValues = 4,       // Than the header says.
  kMoreValues = 8,
  kOtherWidth = 16,
};

constexpr size_t kMostDecoded = 65536;
constexpr size_t kMostEncoded = 4096;  // More than a block of every encoding.
constexpr size_t kEntries = 300;

const EncodingRow& Row() {
  const auto rows = EncodingTable();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [](const auto* r) { return r->name == DSI_FUZZ_ENCODING; });
  Require(row != rows.end());
  return **row;
}

// A dictionary in a block of its own size.
struct Entries {
  explicit Entries(int the_width)
      : width(the_width), values(NewBlock(kEntries * static_cast<size_t>(width))) {
    for (uint64_t i = 0; i < kEntries; ++i) {
      const uint64_t value = 0x9E3779B97F4A7C15 * i;
      std::memcpy(&values[i * static_cast<size_t>(width)], &value, static_cast<size_t>(width));
    }
  }
  SharedDictionary view() const { return {values.get(), kEntries, width}; }

  int width;
  Block values;
};

uint8_t TakeLast(std::span<const std::byte>* input) {
  if (input->empty()) return 0;
  const auto last = static_cast<uint8_t>(input->back());
  *input = input->first(input->size() - 1);
  return last;
}

// Plans are read from the end of the input backwards, so that they change without the header.
EncodePlan TakePlan(std::span<const std::byte>* input, size_t depth) {
  constexpr size_t kMostDepth = 8;  // More than nodes may nest (E-003).
  const uint8_t what = TakeLast(input);
  EncodePlan plan;
  plan.encoding = EncodingTable()[what % EncodingTable().size()]->id;
  plan.param = TakeLast(input);
  const uint8_t more = TakeLast(input);
  plan.shift = more % 64;
  plan.sign_low = more >= 128;
  plan.literals_only = plan.sign_low;
  plan.by_use = plan.sign_low;
  const size_t children = depth < kMostDepth ? what / 16U % 4U : 0;
  for (size_t i = 0; i < children; ++i) plan.children.push_back(TakePlan(input, depth + 1));
  return plan;
}

// The values as codes of shared entries, some of them as they are (E-051).
void RequireCodesComeBack(const ArrayView& array, const EncodePlan& plan,
                          const EncodeTuning& tuning) {
  const auto width = static_cast<size_t>(array.width);
  const Entries entries(array.width);
  std::vector<uint32_t> codes(array.count);
  const Block expected = NewBlock(array.count * width);
  std::vector<uint64_t> literals((array.count * width + 7) / 8);
  size_t num_literals = 0;
  for (size_t i = 0; i < array.count; ++i) {
    std::memcpy(&codes[i], static_cast<const std::byte*>(array.values) + i * width,
                std::min(width, sizeof(uint32_t)));
    codes[i] %= kEntries + 1;
    const std::byte* const value = static_cast<const std::byte*>(array.values) + i * width;
    if (codes[i] == kEntries) {
      std::memcpy(reinterpret_cast<std::byte*>(literals.data()) + num_literals * width, value,
                  width);
      ++num_literals;
    }
    std::memcpy(&expected[i * width],
                codes[i] == kEntries ? value : &entries.values[codes[i] * width], width);
  }
  std::vector<std::byte> node;
  const ArrayView own{literals.data(), num_literals, array.width};
  const InnerEncoder encode = ByPlan(plan, tuning);
  EncodeSharedCodes(codes, encode, own, encode, &node);
  RequireValues(node, {expected.get(), array.count, array.width}, entries.view());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kNodeHeaderSize) return 0;
  const EncodingRow& row = Row();
  const auto input = std::as_bytes(std::span(data, size));
  std::vector<std::byte> node(input.begin(), input.end());
  node[0] = static_cast<std::byte>(row.id);
  const unsigned how = data[0] ^ static_cast<unsigned>(row.id);

  int width = IsWidth(data[1]) ? data[1] : 1 << data[1] % 4;
  size_t count = std::clamp<size_t>(LoadLE<uint32_t>(&node[4]), 1, kMostDecoded);
  if ((how & kFewerValues) != 0) count = count / 2 + 1;
  if ((how & kMoreValues) != 0) count += 1;
  if ((how & kOtherWidth) != 0) width = width == 8 ? 1 : 2 * width;
  const Entries entries((how & kNarrowDictionary) != 0 ? 1 : width);
  const SharedDictionary dictionary =
      (how & kNoDictionary) != 0 ? SharedDictionary{} : entries.view();
  Block values = DecodeAnyBytes(node, width, count, dictionary);

  if (values == nullptr) {
    const auto payload = input.subspan(kNodeHeaderSize);
    values = CopyOf(payload);
    count = payload.size() / static_cast<size_t>(width);
    if (count == 0) return 0;
  }
  const ArrayView array{values.get(), std::min(count, kMostEncoded), width, width >= 4};
  auto left = input;
  EncodePlan plan = TakePlan(&left, 1);
  const EncodeTuning tuning = AnyTuning(TakeLast(&left));
  if (row.id == Encoding::kSharedDictionary) {
    RequireCodesComeBack(array, plan, tuning);
    return 0;
  }
  plan.encoding = row.id;
  plan.param = data[2];
  plan.sign_low = data[3] % 2 != 0;
  plan.by_use = plan.sign_low;
  plan.shift = data[12];
  RequireComesBack(array, plan, tuning);
  return 0;
}
