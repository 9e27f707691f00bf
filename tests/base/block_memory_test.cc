// Blocks that wait for the next scan are shared by all threads of a process, and by no other.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "dsi/base/block_memory_internal.h"
#include "dsi/base/idle_memory_internal.h"
#include "dsi/tests/support/forked_child.h"

namespace dsi::internal {
namespace {

constexpr size_t kBytes = 128 << 10;

bool TakesAndGivesBack() {
  size_t capacity = 0;
  std::byte* const block = AllocateBlock(kBytes, &capacity);
  if (block == nullptr || capacity < kBytes) return false;
  FreeBlock(block, capacity);
  return true;
}

TEST(BlockMemoryTest, ABlockThatWasFreedIsHandedOutAgain) {
  size_t capacity = 0;
  std::byte* const first = AllocateBlock(kBytes, &capacity);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0U);
  FreeBlock(first, capacity);
  size_t second_capacity = 0;
  std::byte* const second = AllocateBlock(kBytes - 1, &second_capacity);
  EXPECT_GE(second_capacity, kBytes - 1);
  FreeBlock(second, second_capacity);
  FreeBlock(nullptr, 0);
}

// How many of four large blocks that are given back are there when four are asked for.
int BlocksThatWait() {
  constexpr size_t kLarge = size_t{40} << 20;  // Else fresh from the system, which means zeros.
  std::array<std::byte*, 4> blocks = {};
  size_t capacity = 0;
  const auto take_all = [&] {
    int marked = 0;
    for (std::byte*& block : blocks) {
      block = AllocateBlock(kLarge, &capacity);
      if (block != nullptr) marked += block[0] == std::byte{1} ? 1 : 0;
    }
    return marked;
  };
  const auto mark_and_give = [&](std::byte mark) {
    for (std::byte* const block : blocks) {
      if (block != nullptr) block[0] = mark;
      FreeBlock(block, capacity);
    }
  };
  take_all();
  mark_and_give(std::byte{1});
  const int waited = take_all();
  mark_and_give(std::byte{0});
  return waited;
}

TEST(BlockMemoryTest, MoreWaitWhileSomebodySaysSo) {
  if (!SharesHugePages(kBytes)) GTEST_SKIP() << "a sanitizer's heap keeps nothing";
  EXPECT_EQ(BlocksThatWait(), 2);
  {
    IdleMemory more(64 << 20);
    EXPECT_EQ(BlocksThatWait(), 4);
    // There those who said so are no more.
    EXPECT_TRUE(test::InForkedChild([] { return BlocksThatWait() == 2; }));
    IdleMemory others(40 << 20);
    more.Set(0);
    EXPECT_EQ(BlocksThatWait(), 3);
  }
  EXPECT_EQ(BlocksThatWait(), 2);
}

// Whatever other threads are at when a process is forked, its child gets memory.
TEST(BlockMemoryTest, AForkedChildFindsTheBlocksOpen) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's allocator keeps its lock in a child forked beside threads";
#endif
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop && TakesAndGivesBack()) {
      }
    });
  }
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    EXPECT_TRUE(test::InForkedChild(TakesAndGivesBack)) << "fork " << i;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace dsi::internal
