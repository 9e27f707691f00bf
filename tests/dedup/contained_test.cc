// Arrays that hold most of another's values are found among many.
#include "dsi/dedup/contained_internal.h"

#include <gtest/gtest.h>

#include <random>

namespace dsi::internal {
namespace {

using Values = std::vector<uint64_t>;

Values Random(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  Values values(count);
  for (uint64_t& value : values) value = random() % 5000;
  return values;
}

std::vector<uint64_t> Sample(const Values& values, uint64_t seed = 0) {
  return SampleGrams(std::span<const uint64_t>(values), seed);
}

TEST(ContainedTest, APartIsInTheWholeAndNotTheOtherWayRound) {
  const Values whole = Random(40'000, 1);
  const Values part(whole.begin() + 5000, whole.begin() + 15'000);
  const auto found =
      FindContained(std::vector{Sample(whole), Sample(Random(40'000, 2)), Sample(part)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.begin()->first, (std::pair<uint32_t, uint32_t>(2, 0)));
  EXPECT_GT(found.begin()->second, 0.98);
}

TEST(ContainedTest, LessThanHalfIsNot) {
  for (const size_t shared : {4000, 16'000}) {
    const Values whole = Random(40'000, 3);
    Values other = Random(20'000, 4);
    std::copy_n(whole.begin(), shared, other.begin());
    EXPECT_EQ(FindContained(std::vector{Sample(whole), Sample(other)}).size(), shared / 16'000);
  }
}

TEST(ContainedTest, OtherTypesAndWhatVeryManyHaveSayNothing) {
  const Values values = Random(20'000, 5);
  EXPECT_EQ(FindContained(std::vector{Sample(values, 1), Sample(values, 2)}).size(), 0U);
  EXPECT_EQ(FindContained(std::vector(16, Sample(values))).size(), 16U * 15U);
  EXPECT_EQ(FindContained(std::vector(17, Sample(values))).size(), 0U);
  EXPECT_EQ(FindContained({}).size(), 0U);
  EXPECT_EQ(FindContained(std::vector{Sample({}), Sample({1, 2})}).size(), 0U);
}

}  // namespace
}  // namespace dsi::internal
