// Columns that draw from the same ids are found by what they hold.
#include "dsi/writer/layout/find_id_spaces_internal.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace dsi::internal {
namespace {

constexpr uint64_t kMost = UINT64_MAX;

uint64_t Hashed(uint64_t id) {
  id = (id + 1) * 0x9E3779B97F4A7C15ULL;
  return (id ^ id >> 31) * 0xBF58476D1CE4E5B9ULL >> 1;
}

template <typename T = uint64_t>
IdSketch Sketch(size_t first, size_t end, size_t times = 20,
                const std::function<uint64_t(uint64_t)>& id = Hashed) {
  std::vector<T> ids;
  for (size_t i = 0; i < (end - first) * times; ++i)
    ids.push_back(static_cast<T>(id(first + i * 7919 % (end - first))));
  return SketchIds(reinterpret_cast<const std::byte*>(ids.data()), ids.size(), sizeof(T), false);
}

std::vector<uint32_t> Spaces(const std::vector<IdSketch>& columns, uint64_t most = kMost) {
  return FindIdSpaces(columns, most);
}

using Numbers = std::vector<uint32_t>;

TEST(FindIdSpaces, ASketchKnowsHowManyIdsThereAre) {
  EXPECT_EQ(Sketch(0, 300).distinct, 300);
  EXPECT_NEAR(Sketch(0, 5'000).distinct, 5'000, 500);
  EXPECT_EQ(Sketch(0, 300).bytes, 300 * 20 * 8);
}

TEST(FindIdSpaces, ColumnsOfTheSameIdsShare) {
  EXPECT_EQ(Spaces({Sketch(0, 4'000), Sketch(9'000, 12'000), Sketch(500, 3'000),
                    Sketch(9'500, 11'500), Sketch(20'000, 22'000)}),
            (Numbers{0, 1, 0, 1, 4}));
}

TEST(FindIdSpaces, SmallNumbersAreTheSameByChance) {
  const auto number = [](uint64_t i) { return i; };
  EXPECT_EQ(Spaces({Sketch(0, 4'000, 20, number), Sketch(0, 3'000, 20, number)}), (Numbers{0, 1}));
  const auto sparse = [](uint64_t i) { return i * 100; };
  EXPECT_EQ(Spaces({Sketch(0, 4'000, 20, sparse), Sketch(0, 3'000, 20, sparse)}), (Numbers{0, 0}));
}

TEST(FindIdSpaces, FewSharedIdsAreNotEnough) {
  EXPECT_EQ(Spaces({Sketch(0, 4'000), Sketch(3'800, 7'000)}), (Numbers{0, 1}));
  EXPECT_EQ(Spaces({Sketch(0, 4'000), Sketch(2'000, 5'000)}), (Numbers{0, 0}));
}

TEST(FindIdSpaces, AColumnOfFewOfTheIdsStaysAlone) {
  EXPECT_EQ(Spaces({Sketch(0, 500), Sketch(0, 1'500)}), (Numbers{1, 1}));
  EXPECT_EQ(Spaces({Sketch(0, 100), Sketch(0, 1'500)}), (Numbers{0, 1}));
}

TEST(FindIdSpaces, WidthsDoNotMix) {
  const auto narrow = [](uint64_t i) { return Hashed(i) >> 32; };
  EXPECT_EQ(Spaces({Sketch<uint64_t>(0, 900, 20, narrow), Sketch<uint32_t>(0, 900, 20, narrow),
                    Sketch<uint32_t>(0, 900, 20, narrow)}),
            (Numbers{0, 1, 1}));
}

TEST(FindIdSpaces, SharedColumnsHaveLimitedBytes) {
  const std::vector<IdSketch> columns = {Sketch(0, 2'000), Sketch(0, 1'900), Sketch(0, 1'800)};
  EXPECT_EQ(Spaces(columns, columns[0].bytes + columns[1].bytes), (Numbers{0, 0, 2}));
}

TEST(FindIdSpaces, NoIdsNoSpace) {
  EXPECT_EQ(Spaces({Sketch(0, 0), Sketch(0, 0)}), (Numbers{0, 1}));
}

}  // namespace
}  // namespace dsi::internal
