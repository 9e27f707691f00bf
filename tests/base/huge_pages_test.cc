// Blocks side by side in huge pages: none touches another, and what is given back is used again.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "dsi/base/block_memory_internal.h"
#include "dsi/base/huge_pages_internal.h"
#include "dsi/base/memory_budget_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kUnit = HugePages::kUnit;
constexpr size_t kRegion = size_t{32} << 20;

TEST(HugePagesTest, TheLowestFreePlaceIsTaken) {
  const auto pages = std::make_unique<HugePages>();
  std::byte* const first = pages->Take(3 * kUnit);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % HugePages::kPage, 0U);
  std::byte* const second = pages->Take(kUnit);
  EXPECT_EQ(second, first + 3 * kUnit);
  std::byte* const third = pages->Take(200 * kUnit);
  EXPECT_EQ(third, second + kUnit);
  EXPECT_TRUE(pages->Give(first, 3 * kUnit));
  EXPECT_EQ(pages->Take(4 * kUnit), third + 200 * kUnit) << "a gap of 3 units is no place for 4";
  EXPECT_EQ(pages->Take(3 * kUnit), first);
  EXPECT_EQ(pages->num_regions(), 1U);
}

TEST(HugePagesTest, AFullRegionIsFollowedByAnother) {
  const auto pages = std::make_unique<HugePages>();
  const size_t half = kRegion / 2;
  std::byte* const first = pages->Take(half);
  std::byte* const second = pages->Take(half);
  EXPECT_EQ(second, first + half);
  EXPECT_EQ(pages->num_regions(), 1U);
  std::byte* const third = pages->Take(kUnit);
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(pages->num_regions(), 2U);
  EXPECT_TRUE(pages->Give(second, half));
  EXPECT_EQ(pages->Take(half), second) << "to the last unit";
}

TEST(HugePagesTest, BlocksOfOthersAreRefused) {
  const auto pages = std::make_unique<HugePages>();
  const auto others = std::make_unique<HugePages>();
  std::byte* const block = others->Take(kUnit);
  EXPECT_FALSE(pages->Give(block, kUnit));
  ASSERT_NE(pages->Take(kUnit), nullptr);
  EXPECT_FALSE(pages->Give(block, kUnit));
  EXPECT_TRUE(others->Give(block, kUnit));
}

// At the limit everything stays, above it nothing does.
TEST(HugePagesTest, PagesWithoutBlocksGoBackWhereThereAreManyOfThem) {
  const auto pages = std::make_unique<HugePages>();
  std::vector<std::byte*> blocks;
  for (size_t size = 0; size < HugePages::kMostIdle + 2 * HugePages::kPage;
       size += HugePages::kPage) {
    blocks.push_back(pages->Take(HugePages::kPage));
    ASSERT_NE(blocks.back(), nullptr);
    std::memset(blocks.back(), 1, 8);
  }
  EXPECT_EQ(pages->num_regions(), 3U);
  std::byte* const kept = blocks.front();
  for (size_t i = 1; i + 1 < blocks.size(); ++i)
    EXPECT_TRUE(pages->Give(blocks[i], HugePages::kPage));
  EXPECT_EQ(pages->idle_bytes(), HugePages::kMostIdle);
  EXPECT_EQ(blocks[1][0], std::byte{1}) << "it stays";
  EXPECT_TRUE(pages->Give(blocks.back(), HugePages::kPage));
  EXPECT_EQ(pages->idle_bytes(), 0U);
  EXPECT_EQ(pages->num_regions(), 1U) << "those of which no block is left go";
  EXPECT_EQ(kept[0], std::byte{1});
  EXPECT_EQ(pages->Take(HugePages::kPage), blocks[1]);
  EXPECT_EQ(blocks[1][0], std::byte{0}) << "fresh from the system";
}

TEST(HugePagesTest, WhatIsWrittenToABlockStandsThere) {
  const auto pages = std::make_unique<HugePages>();
  std::mt19937_64 random(7);
  std::map<std::byte*, size_t> taken;
  for (int step = 0; step < 3000; ++step) {
    if (random() % 5 < 3) {
      const size_t size = (1 + random() % (random() % 4 == 0 ? 700 : 40)) * kUnit;
      std::byte* const block = pages->Take(size);
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % kUnit, 0U);
      const auto after = taken.lower_bound(block);
      if (after != taken.end()) ASSERT_LE(block + size, after->first);
      if (after != taken.begin())
        ASSERT_LE(std::prev(after)->first + std::prev(after)->second, block);
      taken.emplace(block, size);
      std::memcpy(block, &size, sizeof(size));
      std::memcpy(block + size - sizeof(size), &size, sizeof(size));
    } else if (!taken.empty()) {
      const auto [block, size] =
          *std::next(taken.begin(), static_cast<int>(random() % taken.size()));
      size_t written[2] = {};
      std::memcpy(&written[0], block, sizeof(size));
      std::memcpy(&written[1], block + size - sizeof(size), sizeof(size));
      ASSERT_EQ(written[0], size);
      ASSERT_EQ(written[1], size);
      ASSERT_TRUE(pages->Give(block, size));
      taken.erase(block);
    }
  }
  for (const auto& [block, size] : taken) ASSERT_TRUE(pages->Give(block, size));
  EXPECT_LE(pages->idle_bytes(), HugePages::kMostIdle);
}

// Vectors and blocks at the borders of what shares pages.
TEST(HugePagesTest, BlocksAreAsLargeAsTheyAreCharged) {
  for (const size_t border : {size_t{64} << 10, size_t{4} << 20}) {
    for (const size_t size : {border - 1, border, border + 1}) {
      size_t capacity = 0;
      std::byte* const block = AllocateBlock(size, &capacity);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(capacity, BlockBytes(size)) << size;
      EXPECT_GE(capacity, size);
      std::memset(block, 1, capacity);
      FreeBlock(block, capacity);

      MemoryBudget budget;
      {
        CountedVector<uint8_t> vector(size, 7, &budget);
        EXPECT_EQ(budget.used, size);
        vector.resize(2 * size, 8);
        EXPECT_EQ(vector[size - 1], 7);
      }
      EXPECT_EQ(budget.used, 0U);
    }
  }
}

}  // namespace
}  // namespace dsi::internal
