#include "dsi/base/task_graph_internal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <random>
#include <thread>
#include <vector>

namespace dsi::internal {
namespace {

using Task = TaskGraph::Task;

Status Ok() { return Status::Ok(); }

TEST(TaskGraphTest, EveryTaskRunsOnceAfterThoseItWaitsFor) {
  for (const int threads : {1, 2, 5, 16}) {
    std::mt19937 random(7);
    TaskGraph graph;
    constexpr Task kTasks = 2'000;
    std::vector<std::atomic<int>> runs(kTasks);
    for (Task i = 0; i < kTasks; ++i) {
      std::vector<Task> after;
      for (uint32_t k = random() % 4; k != 0 && i != 0; --k)
        after.push_back(random() % 8 == 0 ? TaskGraph::kNone : static_cast<Task>(random() % i));
      const auto work = [&runs, i, after] {
        for (const Task other : after) {
          if (other == TaskGraph::kNone) continue;
          EXPECT_EQ(runs[other], 1);
        }
        std::this_thread::yield();
        ++runs[i];
        return Status::Ok();
      };
      EXPECT_EQ(graph.Add(work, after), i);
    }
    EXPECT_TRUE(graph.Run(threads, Ok).ok());
    for (const auto& n : runs) EXPECT_EQ(n, 1);
  }
}

TEST(TaskGraphTest, OneThreadTakesThoseFirstThatWereAddedFirst) {
  TaskGraph graph;
  std::vector<int> order;
  const auto note = [&order](int i) {
    return [&order, i] {
      order.push_back(i);
      return Status::Ok();
    };
  };
  const Task a = graph.Add(note(0), {});
  const Task b = graph.Add(note(1), {});
  const Task last = graph.Add(note(2), std::vector<Task>{b});
  graph.Add(note(3), std::vector<Task>{a});
  graph.Add(note(4), std::vector<Task>{last, a});
  EXPECT_TRUE(graph.Run(1, Ok).ok());
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(TaskGraphTest, NothingToDoIsDone) {
  TaskGraph graph;
  EXPECT_TRUE(graph.Run(4, Ok).ok());
}

TEST(TaskGraphTest, WhatWaitsForAFailureNeverRuns) {
  for (const int threads : {1, 4}) {
    TaskGraph graph;
    bool ran = false;
    Task before = TaskGraph::kNone;
    for (int i = 0; i < 100; ++i) {
      const auto work = [i] { return i == 50 ? Status(StatusCode::kIo, "item 50") : Status::Ok(); };
      before = graph.Add(work, {&before, 1});
    }
    const auto last = [&ran] {
      ran = true;
      return Status::Ok();
    };
    graph.Add(last, {&before, 1});
    const Status status = graph.Run(threads, Ok);
    EXPECT_EQ(status.message(), "item 50");
    EXPECT_FALSE(ran);
  }
}

TEST(TaskGraphTest, WhatIsThrownIsAStatus) {
  for (const int threads : {1, 4}) {
    TaskGraph graph;
    for (int i = 0; i < 9; ++i) graph.Add([]() -> Status { throw std::bad_alloc(); }, {});
    EXPECT_EQ(graph.Run(threads, Ok).code(), StatusCode::kResourceExhausted);
  }
}

TEST(TaskGraphTest, PollCancels) {
  for (const int threads : {1, 4}) {
    TaskGraph graph;
    std::atomic<int> runs = 0;
    Task before = TaskGraph::kNone;
    for (int i = 0; i < 1'000; ++i) {
      const auto work = [&runs] {
        ++runs;
        std::this_thread::yield();
        return Status::Ok();
      };
      before = graph.Add(work, {&before, i % 2 == 0 ? size_t{0} : size_t{1}});
    }
    int calls = 0;
    const Status status = graph.Run(threads, [&calls] {
      return ++calls == 3 ? Status(StatusCode::kCancelled, "enough") : Status::Ok();
    });
    // Other threads may have left the caller less than three pieces.
    EXPECT_EQ(status.ok(), calls < 3);
    EXPECT_EQ(status.message(), status.ok() ? "" : "enough");
    EXPECT_TRUE(threads > 1 || runs == 3);
  }
}

}  // namespace
}  // namespace dsi::internal
