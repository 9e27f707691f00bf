// Places of values in a source: each holds the value, and what runs on in the source runs on here.
#include "dsi/dedup/find_places_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace dsi::internal {
namespace {

constexpr size_t kLeastFar = 4;

template <typename T>
std::vector<uint32_t> Find(const std::vector<T>& source, const std::vector<T>& values) {
  std::vector<uint32_t> places = PlaceFinder<T>(source).Find(values, kLeastFar);
  EXPECT_EQ(places.size(), values.size());
  const std::set<T> known(source.begin(), source.end());
  for (size_t i = 0; i < places.size(); ++i) {
    EXPECT_LE(places[i], source.size());
    EXPECT_EQ(places[i] < source.size(), known.contains(values[i])) << i;
    EXPECT_TRUE(places[i] == source.size() || source[places[i]] == values[i]) << i;
  }
  return places;
}

// Places that do not follow the one before.
size_t CountSteps(const std::vector<uint32_t>& places) {
  size_t steps = 0;
  for (size_t i = 1; i < places.size(); ++i) steps += places[i] != places[i - 1] + 1 ? 1 : 0;
  return steps;
}

template <typename T>
std::vector<T> Random(size_t count, uint64_t among, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random() % among * 0x9E3779B97F4A7C15);
  return values;
}

template <typename T>
class FindPlacesTest : public testing::Test {};
using Widths = testing::Types<uint32_t, uint64_t>;
TYPED_TEST_SUITE(FindPlacesTest, Widths);

TYPED_TEST(FindPlacesTest, NothingInNothing) {
  using T = TypeParam;
  EXPECT_TRUE(Find<T>({}, {}).empty());
  EXPECT_EQ(Find<T>({}, {7, 8}), (std::vector<uint32_t>{0, 0}));
  EXPECT_TRUE(Find<T>({7, 8, 9, 10}, {}).empty());
  EXPECT_EQ(Find<T>({7}, {7, 8}), (std::vector<uint32_t>{0, 1}));
}

// Values that differ in their upper bits alone.
TEST(PlaceFinderTest, UpperBitsCount) {
  std::vector<uint64_t> source;
  for (uint64_t i = 1; i < (1 << 17); ++i) source.push_back(i << 47);
  const std::vector<uint64_t> values(source.rbegin(), source.rend());
  const std::vector<uint32_t> places = PlaceFinder<uint64_t>(source).Find(values, kLeastFar);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(places[i], source.size() - 1 - i);
}

TYPED_TEST(FindPlacesTest, AllButSomeTakesAStepForEachThatIsLeftOut) {
  const auto source = Random<TypeParam>(5000, 300, 1);
  std::vector<TypeParam> values;
  for (size_t i = 0; i < source.size(); ++i) {
    if (i % 50 != 7) values.push_back(source[i]);
  }
  EXPECT_LE(CountSteps(Find(source, values)), source.size() / 50 + 10);
}

TYPED_TEST(FindPlacesTest, ListsInAnotherOrderTakeAStepEach) {
  const auto source = Random<TypeParam>(8000, 1000, 2);
  std::vector<size_t> starts(400);
  for (size_t i = 0; i < starts.size(); ++i) starts[i] = 20 * i;
  std::shuffle(starts.begin(), starts.end(), std::mt19937_64(3));
  std::vector<TypeParam> values;
  for (const size_t start : starts)
    values.insert(values.end(), &source[start], &source[start] + 17);
  EXPECT_LE(CountSteps(Find(source, values)), starts.size());
}

TYPED_TEST(FindPlacesTest, WhatIsNotThereLeavesTheRestWhereItIs) {
  const auto source = Random<TypeParam>(6000, 800, 4);
  std::vector<TypeParam> values = source;
  for (size_t i = 3; i < values.size(); i += 97) values[i] = TypeParam{12345};
  const auto places = Find(source, values);
  EXPECT_EQ(static_cast<size_t>(std::count(places.begin(), places.end(), source.size())),
            (values.size() + 93) / 97);
}

// Whatever is cut out, put in, exchanged and repeated.
TYPED_TEST(FindPlacesTest, RandomEdits) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto source = Random<TypeParam>(random() % 700, 1 + random() % 200, seed);
    std::vector<TypeParam> values = source;
    for (size_t edits = random() % 40; edits > 0; --edits) {
      const size_t begin = random() % (values.size() + 1);
      const size_t end = std::min<size_t>(values.size(), begin + random() % 30);
      const std::vector<TypeParam> piece(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                         values.begin() + static_cast<std::ptrdiff_t>(end));
      const auto at = values.begin() + static_cast<std::ptrdiff_t>(begin);
      if (random() % 3 == 0) {
        values.erase(at, at + static_cast<std::ptrdiff_t>(piece.size()));
      } else if (random() % 2 == 0) {
        values.insert(at, TypeParam{99});
      } else {
        values.insert(values.end(), piece.begin(), piece.end());
      }
    }
    Find(source, values);
  }
}

}  // namespace
}  // namespace dsi::internal
