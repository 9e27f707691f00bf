// Whatever other threads are at when a process is forked, its child finds no lock taken.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dsi/base/fork_safe_mutex_internal.h"
#include "dsi/tests/support/forked_child.h"

namespace dsi::internal {
namespace {

// Two numbers that are the same but under the lock.
struct Guarded {
  ForkSafeMutex mutex;
  int one = 0;
  int other = 0;

  bool Count() {
    const std::lock_guard lock(mutex);
    const bool was_whole = one == other;
    ++one;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    ++other;
    return was_whole;
  }
};

TEST(ForkSafeMutexTest, AForkedChildFindsAllOpenAndWhatTheyGuardWhole) {
  std::vector<Guarded> guarded(3);
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < guarded.size(); ++i) {
    threads.emplace_back([&, i] {
      while (!stop && guarded[i].Count()) {
      }
    });
  }
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    EXPECT_TRUE(test::InForkedChild([&] {
      return guarded[0].Count() && guarded[1].Count() && guarded[2].Count();
    })) << "fork "
        << i;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// Those that are gone are not waited for, wherever they stood in the list of all.
TEST(ForkSafeMutexTest, ComeAndGoInAnyOrder) {
  for (size_t gone = 0; gone < 3; ++gone) {
    std::vector<std::optional<ForkSafeMutex>> mutexes(3);
    for (auto& mutex : mutexes) mutex.emplace();
    mutexes[gone].reset();
    EXPECT_TRUE(test::InForkedChild([&] {
      for (size_t i = 0; i < 3; ++i) {
        if (i == gone) continue;
        mutexes[i]->lock();
        mutexes[i]->unlock();
      }
      return true;
    }));
  }
}

}  // namespace
}  // namespace dsi::internal
