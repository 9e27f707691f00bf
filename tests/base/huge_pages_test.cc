// Blocks side by side in huge pages: none touches another, and what is given back is used again.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "dsi/base/block_memory_internal.h"
#include "dsi/base/huge_pages_internal.h"
#include "dsi/base/memory_budget_internal.h"
#include "dsi/tests/support/forked_child.h"

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

TEST(HugePagesTest, AGapThatGrowsIsFound) {
  const auto pages = std::make_unique<HugePages>();
  const size_t half = kRegion / 2;
  std::byte* const first = pages->Take(half);
  std::byte* const gap = pages->Take(kUnit);
  ASSERT_NE(pages->Take(half - 2 * kUnit), nullptr);
  std::byte* const other_gap = pages->Take(kUnit);
  EXPECT_TRUE(pages->Give(gap, kUnit));
  EXPECT_TRUE(pages->Give(other_gap, kUnit));
  std::byte* const elsewhere = pages->Take(2 * kUnit);
  EXPECT_EQ(pages->num_regions(), 2U);
  EXPECT_EQ(pages->Take(2 * kUnit), elsewhere + 2 * kUnit) << "too many still";
  EXPECT_TRUE(pages->Give(first, half));
  EXPECT_EQ(pages->Take(2 * kUnit), first);
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

// At the limit everything stays, above it the highest go.
TEST(HugePagesTest, PagesWithoutBlocksGoBackWhereThereAreManyOfThem) {
  const auto pages = std::make_unique<HugePages>();
  std::vector<std::byte*> blocks;
  for (size_t size = 0; size < HugePages::kMostIdle + 2 * HugePages::kPage;
       size += HugePages::kPage) {
    blocks.push_back(pages->Take(HugePages::kPage));
    ASSERT_NE(blocks.back(), nullptr);
    std::memset(blocks.back(), 1, 8);
  }
  ASSERT_EQ(pages->num_regions(), 4U);
  for (size_t i = 1; i + 1 < blocks.size(); ++i)
    EXPECT_TRUE(pages->Give(blocks[i], HugePages::kPage));
  EXPECT_EQ(pages->idle_bytes(), HugePages::kMostIdle);
  EXPECT_EQ(pages->num_regions(), 4U);
  EXPECT_EQ(blocks[blocks.size() - 2][0], std::byte{1}) << "it stays";
  EXPECT_TRUE(pages->Give(blocks.back(), HugePages::kPage));
  EXPECT_EQ(pages->idle_bytes(), HugePages::kMostIdle / 4 * 3);
  EXPECT_EQ(pages->num_regions(), 3U) << "without blocks and pages it goes";
  for (size_t i = 0; i <= HugePages::kMostIdle / 4 * 3 / HugePages::kPage; ++i)
    EXPECT_EQ(blocks[i][0], std::byte{1}) << i;
  EXPECT_EQ(blocks[HugePages::kMostIdle / 4 * 3 / HugePages::kPage + 1][0], std::byte{0})
      << "fresh from the system";
}

TEST(HugePagesTest, MorePagesStayWhereSoManyAreKept) {
  const auto pages = std::make_unique<HugePages>();
  constexpr size_t kMore = 13 * HugePages::kPage;
  pages->KeepIdle(kMore);
  std::vector<std::byte*> blocks;
  for (size_t size = 0; size < HugePages::kMostIdle + kMore; size += HugePages::kPage)
    blocks.push_back(pages->Take(HugePages::kPage));
  for (std::byte* const block : blocks) EXPECT_TRUE(pages->Give(block, HugePages::kPage));
  EXPECT_EQ(pages->idle_bytes(), HugePages::kMostIdle + kMore);
  pages->KeepIdle(kMore - HugePages::kPage);
  EXPECT_EQ(pages->idle_bytes(), (HugePages::kMostIdle + kMore - HugePages::kPage) / 4 * 3);
  pages->KeepIdle(0);
  EXPECT_LE(pages->idle_bytes(), HugePages::kMostIdle);
}

// As a scan does that is begun again and again.
TEST(HugePagesTest, ManyTakenAndGivenBackAreFewAsked) {
  const auto pages = std::make_unique<HugePages>();
  const size_t size = HugePages::kPage / 2;
  const size_t count = HugePages::kMostIdle * 3 / 4 / size;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::byte*> blocks;
    for (size_t i = 0; i < count; ++i) blocks.push_back(pages->Take(size));
    for (std::byte* const block : blocks) {
      if (round != 0) {
        EXPECT_EQ(block[0], std::byte{1});
      }
      block[0] = std::byte{1};
    }
    for (std::byte* const block : blocks) EXPECT_TRUE(pages->Give(block, size));
  }
}

TEST(HugePagesTest, WhatDoesNotFitARegionIsRefused) {
  const auto pages = std::make_unique<HugePages>();
  EXPECT_NE(pages->Take(kRegion), nullptr);
  EXPECT_EQ(pages->Take(kRegion + kUnit), nullptr);
  EXPECT_EQ(pages->num_regions(), 1U);
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
      if (after != taken.end()) {
        ASSERT_LE(block + size, after->first);
      }
      if (after != taken.begin()) {
        ASSERT_LE(std::prev(after)->first + std::prev(after)->second, block);
      }
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

// Vectors and blocks at the borders of what shares pages, so many that those that wait make room.
TEST(HugePagesTest, BlocksGoBackWhereTheyCameFrom) {
  constexpr size_t kMost = size_t{4} << 20;
  for (const size_t size : {(size_t{64} << 10) - 1, size_t{64} << 10, (size_t{64} << 10) + 1,
                            kMost - kUnit, kMost - kUnit + 1, kMost - 1, kMost, kMost + 1}) {
    std::vector<std::pair<std::byte*, size_t>> blocks;
    MemoryBudget budget;
    std::vector<CountedVector<uint8_t>> vectors;
    for (size_t i = 0; i < 30; ++i) {
      size_t capacity = 0;
      std::byte* const block = AllocateBlock(size, &capacity);
      ASSERT_NE(block, nullptr);
      EXPECT_GE(capacity, size);
      EXPECT_GE(capacity, BlockBytes(size));
      std::memset(block, static_cast<int>(i), capacity);
      blocks.emplace_back(block, capacity);
      vectors.emplace_back(size, static_cast<uint8_t>(i), &budget);
    }
    EXPECT_EQ(budget.used, 30 * size);
    for (size_t i = 0; i < 30; ++i) {
      const auto [block, capacity] = blocks[i];
      EXPECT_EQ(block[0], static_cast<std::byte>(i));
      EXPECT_EQ(block[capacity - 1], static_cast<std::byte>(i));
      EXPECT_EQ(vectors[i].front(), i);
      EXPECT_EQ(vectors[i].back(), i);
      FreeBlock(block, capacity);
    }
    vectors.clear();
    EXPECT_EQ(budget.used, 0U);
  }
}

// One that tests turn to the heap in between.
TEST(HugePagesTest, BlocksGoBackWhateverNewOnesAreMadeOf) {
  for (const bool first : {false, true}) {
    TakeEachBlockFromHeap(first);
    size_t capacity = 0;
    std::byte* const block = AllocateBlock(size_t{1} << 20, &capacity);
    CountedVector<uint8_t> vector(size_t{1} << 20, 7, nullptr);
    MemoryBudget budget;
    CountedVector<uint8_t> counted(size_t{1} << 20, 7, &budget);
    ASSERT_NE(block, nullptr);
    TakeEachBlockFromHeap(!first);
    FreeBlock(block, capacity);
    vector = {};
    counted.shrink_to_fit();
    counted.resize(size_t{3} << 20);
  }
  TakeEachBlockFromHeap(false);
}

// Where the system has no room for a region the heap serves, and then nobody does.
TEST(HugePagesTest, WithoutRoomForARegionBlocksComeFromTheHeap) {
  if (!SharesHugePages(1 << 20)) GTEST_SKIP() << "the sanitizer sees every block";
  EXPECT_TRUE(test::InForkedChild([] {
    constexpr size_t kBytes = size_t{1} << 20;
    uint64_t pages_in_use = 0;
    std::ifstream("/proc/self/statm") >> pages_in_use;
    const rlim_t most = pages_in_use * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) + 24 * kBytes;
    const rlimit limit{most, most};
    if (pages_in_use == 0 || ::setrlimit(RLIMIT_AS, &limit) != 0) return false;
    std::vector<std::byte*> taken;
    for (;;) {
      size_t capacity = 0;
      std::byte* const block = AllocateBlock(kBytes, &capacity);
      if (block == nullptr) break;
      if (capacity != kBytes || taken.size() > 4096) return false;
      std::memset(block, 1, kBytes);
      taken.push_back(block);
    }
    for (std::byte* const block : taken) FreeBlock(block, kBytes);
    return taken.size() >= 16;
  }));
}

}  // namespace
}  // namespace dsi::internal
