#include "dsi/base/worker_team_internal.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "dsi/base/cancellation_internal.h"

namespace dsi::internal {
namespace {

// Looks at the generation so often before it sleeps: some tens of microseconds.
constexpr int kLooks = 4000;
// Of Shared::doors: the run takes helpers.
constexpr uint32_t kOpen = 1U << 31;

thread_local size_t this_worker = 0;

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

struct WorkerTeam::Shared {
  // Of the current run, written while the doors are closed and nobody is inside.
  Pieces pieces;
  size_t count = 0;
  std::atomic<size_t> next{0};
  std::atomic<bool> has_failed{false};
  std::mutex mutex;
  size_t failed_at = 0;
  Status failure;

  std::atomic<uint32_t> doors{0};       // kOpen, and how many helpers are inside.
  std::atomic<uint32_t> generation{0};  // Of what there is to do: runs, tasks, the end.
  std::atomic<bool> is_over{false};

  std::mutex tasks_mutex;
  std::vector<Task*> tasks;  // Waiting, the oldest first.
  std::atomic<size_t> num_tasks{0};
  std::atomic<size_t> num_running{0};
  std::atomic<uint32_t> num_done{0};  // Of all tasks; who waits for one waits for this to change.

  void Work() {
    while (!has_failed.load(std::memory_order_relaxed)) {
      const size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      Status status = pieces.run(pieces.of, i);
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      if (i < failed_at) {
        failed_at = i;
        failure = std::move(status);
      }
      has_failed = true;
    }
  }

  bool Enter() {
    uint32_t seen = doors.load(std::memory_order_relaxed);
    while ((seen & kOpen) != 0) {
      if (doors.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return true;
    }
    return false;
  }

  bool DoTask() {
    if (num_tasks.load(std::memory_order_acquire) == 0) return false;
    Task* task = nullptr;
    {
      const std::lock_guard lock(tasks_mutex);
      if (tasks.empty()) return false;
      task = tasks.front();
      tasks.erase(tasks.begin());
      num_tasks.store(tasks.size(), std::memory_order_release);
      task->progress_.store(Task::Progress::kRunning, std::memory_order_relaxed);
      num_running.fetch_add(1, std::memory_order_relaxed);
    }
    task->Do();
    task->progress_.store(Task::Progress::kDone, std::memory_order_release);
    // From here on the task may be gone.
    num_running.fetch_sub(1, std::memory_order_release);
    num_done.fetch_add(1, std::memory_order_release);
    num_done.notify_all();
    return true;
  }

  // Until a task that is done has made it false.
  template <typename Condition>
  void WaitWhile(const Condition& is_busy) {
    for (;;) {
      const uint32_t seen = num_done.load(std::memory_order_acquire);
      if (!is_busy()) return;
      num_done.wait(seen, std::memory_order_acquire);
    }
  }

  void Help(size_t worker) {
    this_worker = worker;
    uint32_t done = 0;
    for (;;) {
      uint32_t now = generation.load(std::memory_order_acquire);
      for (int i = 0; now == done && i < kLooks; ++i) {
        Pause();
        now = generation.load(std::memory_order_acquire);
      }
      if (now == done) {
        generation.wait(done, std::memory_order_acquire);
        continue;
      }
      if (is_over.load(std::memory_order_acquire)) return;
      done = now;
      if (Enter()) {
        Work();
        doors.fetch_sub(1, std::memory_order_release);
      }
      // A run that began meanwhile comes before the next task.
      while (generation.load(std::memory_order_acquire) == done && DoTask()) {
      }
    }
  }
};

WorkerTeam::WorkerTeam(size_t size) : size_(std::max<size_t>(size, 1)) {
  if (size_ > 1) StartHelpers();
}

WorkerTeam::~WorkerTeam() {
  if (shared_ == nullptr) return;
  if (!is_here()) {
    // Threads that are not there can neither be joined nor told to go.
    for (std::thread& helper : helpers_) helper.detach();
    return;
  }
  shared_->is_over.store(true, std::memory_order_release);
  Wake();
  for (std::thread& helper : helpers_) helper.join();
}

bool WorkerTeam::is_here() const { return helpers_.empty() || process_ == getpid(); }

size_t WorkerTeam::current() { return this_worker; }

// Fewer threads do the same work.
void WorkerTeam::StartHelpers() {
  shared_ = std::make_unique<Shared>();
  process_ = getpid();
  helpers_.reserve(size_ - 1);
  for (size_t worker = 1; worker < size_; ++worker) {
    try {
      helpers_.emplace_back(
          Cancellation::Inherited([shared = shared_.get(), worker] { shared->Help(worker); }));
    } catch (const std::system_error&) {
      return;
    } catch (const std::bad_alloc&) {
      return;
    }
  }
}

void WorkerTeam::Wake() {
  shared_->generation.fetch_add(1, std::memory_order_release);
  shared_->generation.notify_all();
}

void WorkerTeam::Start(Task* task) {
  if (size_ == 1) return;
  {
    const std::lock_guard lock(shared_->tasks_mutex);
    shared_->tasks.push_back(task);
    task->progress_.store(Task::Progress::kWaiting, std::memory_order_relaxed);
    shared_->num_tasks.store(shared_->tasks.size(), std::memory_order_release);
  }
  Wake();
}

bool WorkerTeam::Stop(Task* task) {
  using Progress = Task::Progress;
  if (task->progress_.load(std::memory_order_acquire) == Progress::kIdle) return false;
  if (!is_here()) return false;
  {
    const std::lock_guard lock(shared_->tasks_mutex);
    if (task->progress_.load(std::memory_order_relaxed) == Progress::kWaiting) {
      std::erase(shared_->tasks, task);
      shared_->num_tasks.store(shared_->tasks.size(), std::memory_order_release);
      task->progress_.store(Progress::kIdle, std::memory_order_relaxed);
      return false;
    }
  }
  const auto is_running = [&] {
    return task->progress_.load(std::memory_order_acquire) == Progress::kRunning;
  };
  // Most are nearly done.
  for (int looks = 0; looks < kLooks && is_running(); ++looks) Pause();
  shared_->WaitWhile(is_running);
  task->progress_.store(Progress::kIdle, std::memory_order_relaxed);
  return true;
}

void WorkerTeam::StopAll() {
  if (shared_ == nullptr || !is_here()) return;
  {
    const std::lock_guard lock(shared_->tasks_mutex);
    for (Task* task : shared_->tasks)
      task->progress_.store(Task::Progress::kIdle, std::memory_order_relaxed);
    shared_->tasks.clear();
    shared_->num_tasks.store(0, std::memory_order_release);
  }
  shared_->WaitWhile([&] { return shared_->num_running.load(std::memory_order_acquire) != 0; });
}

Status WorkerTeam::RunPieces(size_t count, const Pieces& pieces) {
  Shared& shared = *shared_;
  shared.pieces = pieces;
  shared.count = count;
  shared.next.store(0, std::memory_order_relaxed);
  shared.has_failed.store(false, std::memory_order_relaxed);
  shared.failed_at = count;
  shared.failure = Status::Ok();
  shared.doors.store(kOpen, std::memory_order_release);
  Wake();
  shared.Work();
  shared.doors.fetch_and(~kOpen, std::memory_order_acq_rel);
  for (int looks = 0; shared.doors.load(std::memory_order_acquire) != 0; ++looks) {
    if (looks < kLooks) {
      Pause();
    } else {
      std::this_thread::yield();
    }
  }
  return std::move(shared.failure);
}

}  // namespace dsi::internal
