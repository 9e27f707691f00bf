#include "dsi/base/task_graph_internal.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "dsi/base/no_throw_internal.h"
#include "dsi/base/parallel_internal.h"

namespace dsi::internal {

TaskGraph::Task TaskGraph::Add(std::function<Status()> work, std::span<const Task> after) {
  const auto task = static_cast<Task>(nodes_.size());
  Node& node = nodes_.emplace_back();
  node.work = std::move(work);
  for (const Task other : after) {
    if (other == kNone) continue;
    nodes_[other].before.push_back(task);
    ++node.num_awaited;
  }
  return task;
}

Status TaskGraph::Run(int threads, const std::function<Status()>& poll) {
  num_left_ = nodes_.size();
  std::vector<Task> ready;
  ready.reserve(nodes_.size());
  for (Task task = 0; task < nodes_.size(); ++task) {
    if (nodes_[task].num_awaited == 0) ready.push_back(task);
  }
  ready_ = decltype(ready_)({}, std::move(ready));
  const auto most = static_cast<size_t>(std::max(threads, 1));
  const std::thread::id caller = std::this_thread::get_id();
  return ParallelFor(
      std::min(most, nodes_.size()), threads,
      [&](size_t) { return Work(std::this_thread::get_id() == caller ? &poll : nullptr); },
      [] { return Status::Ok(); });
}

Status TaskGraph::Work(const std::function<Status()>* poll) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || num_left_ == 0 || !ready_.empty(); });
    if (stopped_ || num_left_ == 0) return Status::Ok();
    const Task task = ready_.top();
    ready_.pop();
    lock.unlock();
    Status status = NoThrow(nodes_[task].work);
    if (status.ok() && poll != nullptr) status = NoThrow(*poll);
    lock.lock();
    if (!status.ok()) {
      stopped_ = true;
      changed_.notify_all();
      return status;
    }
    Done(task);
  }
}

void TaskGraph::Done(Task task) {
  for (const Task next : nodes_[task].before) {
    if (--nodes_[next].num_awaited != 0) continue;
    ready_.push(next);
    changed_.notify_one();
  }
  if (--num_left_ == 0) changed_.notify_all();
}

}  // namespace dsi::internal
