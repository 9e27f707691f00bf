// Pieces of work that wait for others, run on a few threads.
//
// The outcome must not depend on which thread runs what: each piece writes what is its own and
// reads what pieces before it wrote. Thread safety: one thread builds and runs a graph.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <span>
#include <vector>

#include "dsi/base/status.h"

namespace dsi::internal {

class TaskGraph {
 public:
  // Names a task; kNone: none, which nobody waits for.
  using Task = uint32_t;
  static constexpr Task kNone = UINT32_MAX;

  // A piece that runs once those of `after`, which were added before, are done. It may fail.
  Task Add(std::function<Status()> work, std::span<const Task> after);

  // Runs all, once, on up to `threads` threads (the caller's among them); of those that are ready,
  // those added first come first. Stops early after a failure, and returns one. `poll` is called
  // from the caller's thread between pieces; a failed status of it stops as well. What work and
  // poll throw becomes a status (NoThrow).
  Status Run(int threads, const std::function<Status()>& poll);

 private:
  struct Node {
    std::function<Status()> work;
    std::vector<Task> before;  // Those that wait for it.
    uint32_t num_awaited = 0;
  };

  // Takes tasks until none is left. `poll` null: another's.
  Status Work(const std::function<Status()>* poll);
  void Done(Task task);

  std::vector<Node> nodes_;
  std::mutex mutex_;  // Of what follows.
  std::condition_variable changed_;
  // Run makes it, with room for all: who says that a task is done needs no memory.
  std::priority_queue<Task, std::vector<Task>, std::greater<>> ready_;
  size_t num_left_ = 0;
  bool stopped_ = false;
};

}  // namespace dsi::internal
