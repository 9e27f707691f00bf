// A stream that decodes to anything but what was encoded is found.
#include "dsi/writer/encode/verify_stream_internal.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "dsi/codecs/choice/tuning_internal.h"

namespace dsi::test {
namespace {

using namespace dsi::internal;  // NOLINT

constexpr uint32_t kPage = 1024;

StreamTuning Verifying() { return {TuningOf(Tuning::kNvme), true}; }

template <typename T>
ArrayView ViewOf(const std::vector<T>& values) {
  return {.values = values.data(), .count = values.size(), .width = sizeof(T)};
}

template <typename T>
std::vector<T> Values(uint64_t seed, size_t count, uint64_t range) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random() % range);
  return values;
}

TEST(VerifyStream, WhatIsEncodedDecodes) {
  for (const size_t count : {1U, 5U, 1024U, 1025U, 5000U}) {
    for (const uint64_t range : {1U, 2U, 300U, 1U << 30}) {
      RememberedPlan plan;
      const auto wide = Values<uint64_t>(count, count, range);
      EXPECT_FALSE(EncodeStream(ViewOf(wide), kPage, Verifying(), &plan).is_damaged);
      RememberedPlan narrow_plan;
      const auto narrow = Values<uint8_t>(count, count, range);
      EXPECT_FALSE(EncodeStream(ViewOf(narrow), kPage, Verifying(), &narrow_plan).is_damaged);
    }
  }
}

TEST(VerifyStream, EveryOtherValueIsFound) {
  auto values = Values<uint32_t>(1, 3000, 500);
  RememberedPlan plan;
  const EncodedStream stream = EncodeStream(ViewOf(values), kPage, Verifying(), &plan);
  ASSERT_TRUE(DecodesTo(stream, ViewOf(values), kPage));
  for (const size_t at : {0U, 1023U, 1024U, 2999U}) {
    values[at] ^= 1;
    EXPECT_FALSE(DecodesTo(stream, ViewOf(values), kPage)) << at;
    values[at] ^= 1;
  }
  EncodedStream other = stream;
  other.nodes.pop_back();
  EXPECT_FALSE(DecodesTo(other, ViewOf(values), kPage));
  // A bit of the bytes: a rule breaks, or a value is another, unless it says nothing.
  size_t found = 0;
  const size_t size = stream.nodes[0].bytes.size();
  for (size_t byte = 0; byte < size; ++byte) {
    other = stream;
    other.nodes[0].bytes[byte] ^= std::byte{4};
    found += DecodesTo(other, ViewOf(values), kPage) ? 0 : 1;
  }
  EXPECT_EQ(found, size);
}

template <typename T>
void CheckCodes() {
  std::vector<uint32_t> codes = Values<uint32_t>(3, 2500, 101);  // 100 stands for a literal.
  const auto num_literals = static_cast<size_t>(std::count(codes.begin(), codes.end(), 100U));
  std::vector<T> literals = Values<T>(4, num_literals, 1U << 30);
  const CodedIds ids{.codes = codes, .literal = 100, .literals = ViewOf(literals)};
  RememberedPlan codes_plan;
  RememberedPlan literals_plan;
  const EncodedStream stream =
      EncodeCodeStream(ids, kPage, Verifying(), &codes_plan, &literals_plan);
  EXPECT_FALSE(stream.is_damaged);
  literals.back() ^= 1;
  EXPECT_FALSE(DecodesTo(stream, ids, kPage));
  literals.back() ^= 1;
  EXPECT_TRUE(DecodesTo(stream, ids, kPage));
  for (const size_t at : {0U, 1500U, 2499U}) {
    const uint32_t code = codes[at];
    codes[at] = code == 7 ? 8 : 7;
    EXPECT_FALSE(DecodesTo(stream, ids, kPage));
    codes[at] = code;
  }
}

TEST(VerifyStream, CodesAndLiterals) {
  CheckCodes<uint32_t>();
  CheckCodes<uint64_t>();
}

}  // namespace
}  // namespace dsi::test
