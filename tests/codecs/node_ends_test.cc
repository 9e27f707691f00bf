// Kernels at the end of a node: they read words and vectors, and a node may end in the middle of
// one. Only a sanitizer sees a read behind the end, so that these tests prove the most under one;
// without, they hold the values.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

void ExpectDecodes(const Bytes& node, const Array& array, const SharedDictionary& dictionary = {}) {
  std::vector<uint8_t> decoded;
  const Status status = Decode(node, array.width, array.count, &decoded, dictionary);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_TRUE(SameBytes(decoded, array));
}

// The last block of packed numbers, of each size and bit width, ends with the node (E-022).
TEST(NodeEnds, E022LinearBlocks) {
  for (const int width : {1, 2, 4, 8}) {
    for (int bits = 1; bits <= 8 * width; ++bits) {
      for (size_t count = 1; count <= 70; ++count) {
        std::mt19937_64 random(count);
        const uint64_t most = ~uint64_t{0} >> (64 - bits);
        Array array(width, Generate(count, [&](size_t i) {
                      return i == 0 ? most : i == 1 ? 0 : random() & most;
                    }));
        ASSERT_NO_FATAL_FAILURE(ExpectDecodes(Encode(array, Plan(Encoding::kPacked)), array))
            << "width " << width << ", bits " << bits << ", count " << count;
      }
    }
  }
}

// Codes that are read where they stand, a word at a time (E-050).
TEST(NodeEnds, E050CodesInPlace) {
  const EncodePlan plan = Plan(Encoding::kDictionary, {Plan(Encoding::kRaw), Plan(Encoding::kRaw)});
  for (const int width : {2, 4, 8}) {
    for (const size_t distinct : {size_t{5}, size_t{300}}) {
      for (size_t count = 2 * distinct; count < 2 * distinct + 40; ++count) {
        const Array array(width, Generate(count, [&](size_t i) { return i % distinct * 217; }));
        ASSERT_NO_FATAL_FAILURE(ExpectDecodes(Encode(array, plan), array)) << count;
      }
    }
  }
}

// Literals stand at the end of their node, and are read eight at a time (E-051).
TEST(NodeEnds, E051Literals) {
  // Which of the codes are literals.
  const std::vector<std::function<bool(size_t i, size_t count)>> patterns = {
      [](size_t i, size_t count) { return i + 1 < count; },
      [](size_t i, size_t) { return i != 0; },
      [](size_t i, size_t) { return i % 2 == 0; },
      [](size_t i, size_t) { return i % 8 == 7; },
      [](size_t i, size_t count) { return i + 9 > count; },
      [](size_t i, size_t count) { return i + 9 > count && i + 1 != count; },
      [](size_t i, size_t) { return i == 1; },
  };
  const InnerEncoder raw = ByPlan(Plan(Encoding::kRaw), {});
  for (const int width : {1, 2, 4, 8}) {
    for (const size_t entries : {size_t{50}, size_t{300}, size_t{70'000}}) {
      // Memory of just the dictionary's size, for it is read past no end either.
      const std::vector<uint64_t> values =
          Generate(entries, [](size_t i) { return i * 0x9E3779B97F4A7C15; });
      const Array all(width, values);
      const std::unique_ptr<std::byte[]> exact(new std::byte[all.size()]);
      std::copy(all.bytes(), all.bytes() + all.size(), exact.get());
      const SharedDictionary dictionary{exact.get(), entries, width};
      for (const size_t count : {2, 16, 31, 32, 33, 63, 64, 65, 95, 96, 128, 1023, 1024, 1056}) {
        for (size_t p = 0; p < patterns.size(); ++p) {
          std::vector<uint32_t> codes(count);
          std::vector<uint64_t> literals;
          std::vector<uint64_t> expected(count);
          for (size_t i = 0; i < count; ++i) {
            const bool is_literal = patterns[p](i, count);
            codes[i] = static_cast<uint32_t>(is_literal ? entries : (i * 7919 + 3) % entries);
            expected[i] = is_literal ? 77'777 + i : values[codes[i]];
            if (is_literal) literals.push_back(expected[i]);
          }
          const Array own(width, literals);
          Bytes node;
          EncodeSharedCodes(codes, raw, own.view(), raw, &node);
          ASSERT_NO_FATAL_FAILURE(ExpectDecodes(node, Array(width, expected), dictionary))
              << "width " << width << ", " << entries << " entries, " << count << " codes, pattern "
              << p;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dsi::internal
