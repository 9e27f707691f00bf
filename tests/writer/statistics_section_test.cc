// Statistics that wait for the end of a file: which columns keep theirs, and what they may take.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "dsi/writer/publish/statistics_section_internal.h"

namespace dsi::internal {
namespace {

// A key, a dense feature, a list and a string.
class StatisticsSectionTest : public testing::Test {
 protected:
  StatisticsSectionTest() {
    const std::pair<Kind, Type> features[] = {{Kind::kKey, Type::kInt64},
                                              {Kind::kDense, Type::kInt64},
                                              {Kind::kList, Type::kInt64},
                                              {Kind::kString, Type::kBytes}};
    for (const auto& [kind, type] : features) {
      FeatureSpec& feature = schema_.features.emplace_back();
      feature.kind = kind;
      feature.columns.emplace_back().type = type;
      layout_.columns.emplace_back().feature = static_cast<uint32_t>(schema_.features.size() - 1);
    }
    section_.Start(&schema_, &layout_);
  }

  // Entries of 5, 3 and 12 bytes.
  void AddStripes(int count) {
    std::vector<ColumnStatistics> stripe(4);
    const int64_t keys[] = {-100, 200};
    WidenBounds(Type::kInt64, reinterpret_cast<const std::byte*>(keys), 2, &stripe[0]);
    WidenBounds(Type::kInt64, reinterpret_cast<const std::byte*>(keys), 1, &stripe[1]);
    WidenBounds("Bern", &stripe[3]);
    WidenBounds("Oslo", &stripe[3]);
    for (int i = 0; i < count; ++i) section_.Add(stripe);
  }

  // Bytes of each column.
  std::vector<size_t> Sizes(uint64_t stored_bytes, uint64_t data_bytes) const {
    const std::vector<ColumnTotals> totals(4, {stored_bytes, 0});
    const std::vector<std::byte> made = section_.Make(totals, data_bytes);
    if (made.empty()) return {};
    std::vector<size_t> sizes;
    uint32_t before = 0;
    for (size_t c = 0; c < 4; ++c) {
      uint32_t end = 0;
      std::memcpy(&end, made.data() + c * sizeof(end), sizeof(end));
      sizes.push_back(end - before);
      before = end;
    }
    EXPECT_EQ(made.size(), 4 * sizeof(uint32_t) + before);
    return sizes;
  }

  Schema schema_;
  FileLayout layout_;
  StatisticsSection section_;
};

TEST_F(StatisticsSectionTest, F082EveryStripeHasAnEntry) {
  EXPECT_TRUE(Sizes(1 << 20, 1 << 20).empty());
  AddStripes(7);
  EXPECT_EQ(Sizes(1 << 20, 1 << 20), (std::vector<size_t>{35, 21, 0, 84}));
}

TEST_F(StatisticsSectionTest, F082DenseAndStringsTakeASixtyFourthOfTheirColumn) {
  AddStripes(10);
  EXPECT_EQ(Sizes(64 * 30, 0), (std::vector<size_t>{50, 30, 0, 0}));
  EXPECT_EQ(Sizes(64 * 30 - 1, 0), (std::vector<size_t>{50, 0, 0, 0}));
  EXPECT_EQ(Sizes(64 * 120, 0), (std::vector<size_t>{50, 30, 0, 120}));
}

TEST_F(StatisticsSectionTest, F082AndTogetherALittleOfTheFile) {
  AddStripes(10);
  EXPECT_EQ(Sizes(0, 1024 * 150), (std::vector<size_t>{50, 30, 0, 120}));
  EXPECT_EQ(Sizes(0, 1024 * 150 - 1), (std::vector<size_t>{50, 30, 0, 0}));
  EXPECT_EQ(Sizes(64 * 30, 1024 * 120), (std::vector<size_t>{50, 30, 0, 120}));
}

TEST_F(StatisticsSectionTest, F082WhatWaitsIsBounded) {
  constexpr int kMost = (16 << 20) / 20;
  AddStripes(kMost);
  EXPECT_EQ(Sizes(uint64_t{1} << 40, 0).at(1), size_t{3} * kMost);
  AddStripes(1);
  const std::vector<size_t> bounded = {size_t{5} * (kMost + 1), 0, 0, 0};
  EXPECT_EQ(Sizes(uint64_t{1} << 40, 0), bounded);
  AddStripes(5);
  EXPECT_EQ(Sizes(uint64_t{1} << 40, uint64_t{1} << 40).at(0), size_t{5} * (kMost + 6));
  EXPECT_EQ(Sizes(uint64_t{1} << 40, uint64_t{1} << 40).at(3), 0U);
}

}  // namespace
}  // namespace dsi::internal
