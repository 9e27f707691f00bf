#include "dsi/base/worker_team_internal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "dsi/tests/support/forked_child.h"

namespace dsi::internal {
namespace {

TEST(WorkerTeamTest, EveryPieceRunsOnce) {
  for (const size_t size : {1U, 2U, 5U}) {
    WorkerTeam team(size);
    for (const size_t count : {0U, 1U, 2U, 7U, 1000U}) {
      std::vector<std::atomic<int>> runs(count);
      const Status status = team.Run(count, [&](size_t i) -> Status {
        EXPECT_LT(WorkerTeam::current(), size);
        ++runs[i];
        return Status::Ok();
      });
      EXPECT_TRUE(status.ok());
      for (const auto& n : runs) EXPECT_EQ(n, 1);
    }
  }
}

TEST(WorkerTeamTest, ManyShortRuns) {
  WorkerTeam team(3);
  uint64_t expected = 0;
  std::atomic<uint64_t> sum = 0;
  for (uint64_t run = 0; run < 20'000; ++run) {
    const uint64_t count = run % 5;
    expected += count * run;
    EXPECT_TRUE(team.Run(count,
                         [&](size_t) {
                           sum += run;
                           return Status::Ok();
                         })
                    .ok());
    EXPECT_EQ(sum, expected);
  }
}

TEST(WorkerTeamTest, HelpersHelpAndHaveNumbers) {
  WorkerTeam team(2);
  std::atomic<int> inside = 0;
  // Both pieces wait for the other one.
  const Status status = team.Run(2, [&](size_t) -> Status {
    ++inside;
    while (inside < 2) std::this_thread::yield();
    return Status::Ok();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(WorkerTeam::current(), 0U);
}

TEST(WorkerTeamTest, TheFirstFailureIsReturned) {
  for (const size_t size : {1U, 4U}) {
    WorkerTeam team(size);
    for (int run = 0; run < 200; ++run) {
      const Status status = team.Run(100, [&](size_t i) -> Status {
        if (i >= 13) return {StatusCode::kCorrupt, std::to_string(i)};
        return Status::Ok();
      });
      EXPECT_EQ(status.message(), "13");
    }
    EXPECT_TRUE(team.Run(3, [](size_t) { return Status::Ok(); }).ok());
  }
}

TEST(WorkerTeamTest, WhatIsThrownIsAStatus) {
  WorkerTeam team(2);
  const Status status = team.Run(10, [](size_t i) -> Status {
    if (i == 3) throw std::bad_alloc();
    return Status::Ok();
  });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
}

TEST(WorkerTeamTest, AForkedChildWorksAlone) {
  WorkerTeam team(2);
  EXPECT_TRUE(team.Run(10, [](size_t) { return Status::Ok(); }).ok());
  EXPECT_TRUE(test::InForkedChild([&] {
    int runs = 0;
    const Status status = team.Run(10, [&](size_t) {
      ++runs;
      return Status::Ok();
    });
    team.~WorkerTeam();  // Its own copy of the team.
    return status.ok() && runs == 10;
  }));
}

}  // namespace
}  // namespace dsi::internal
