// Turns: one thread has one at a time, never waits for itself, and a forked child for nobody.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dsi/base/one_at_a_time_internal.h"
#include "dsi/tests/support/forked_child.h"

namespace dsi::internal {
namespace {

TEST(OneAtATimeTest, OneThreadAtATimeHasTheTurn) {
  OneAtATime turns;
  std::atomic<int> inside = 0;
  std::atomic<bool> met = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        const auto turn = turns.Wait("it");
        if (!turn.ok() || ++inside != 1) met = true;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(met);
}

TEST(OneAtATimeTest, WhoHasTheTurnIsNotMadeToWaitForItself) {
  OneAtATime turns;
  {
    const auto turn = turns.Wait("the sum");
    ASSERT_TRUE(turn.ok());
    const auto again = turns.Wait("the sum");
    ASSERT_EQ(again.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(again.status().ToString().find("the sum was asked for"), std::string::npos)
        << again.status().ToString();
  }
  EXPECT_TRUE(turns.Wait("the sum").ok());
}

TEST(OneAtATimeTest, AForkedChildDoesNotWaitForAThreadThatIsNotThere) {
  OneAtATime turns;
  std::atomic<bool> has_turn = false;
  std::atomic<bool> stop = false;
  std::thread holder([&] {
    const auto turn = turns.Wait("it");
    has_turn = turn.ok();
    while (!stop) std::this_thread::yield();
  });
  while (!has_turn) std::this_thread::yield();
  EXPECT_TRUE(test::InForkedChild([&] {
    const bool has_had_it = turns.Wait("it").ok();
    return has_had_it && turns.Wait("it").ok();
  }));
  stop = true;
  holder.join();
}

// A child that is forked in a turn gives back nothing that is not its own.
TEST(OneAtATimeTest, ATurnEndsInTheProcessThatHadIt) {
  OneAtATime turns;
  auto turn = std::make_unique<Result<OneAtATime::Turn>>(turns.Wait("it"));
  EXPECT_TRUE(test::InForkedChild([&] {
    turn.reset();
    return turns.Wait("it").ok();
  }));
  turn.reset();
  EXPECT_TRUE(turns.Wait("it").ok());
}

}  // namespace
}  // namespace dsi::internal
