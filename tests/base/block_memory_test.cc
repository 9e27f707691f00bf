// Blocks that wait for the next scan are shared by all threads of a process, and by no other.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "dsi/base/block_memory_internal.h"
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
