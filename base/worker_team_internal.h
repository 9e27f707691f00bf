// A few threads that help one with many short pieces of work, such as the parts of a batch.
//
// Unlike ParallelFor, the threads stay: work of a tenth of a millisecond is worth sharing. A helper
// that is not there yet when all is done is not waited for. Helpers look for work for a moment
// before they sleep, so that runs which follow each other at once do not wake anybody. The outcome
// must not depend on which thread runs what: each piece writes its own part.
//
// Between runs helpers do tasks: longer work that will be needed later, which is begun in the order
// of Start and not waited for by Run. Who needs a task that nobody has begun does it itself.
//
// Thread safety: one thread at a time calls Run; a helper that does runs its pieces alone. After a
// fork the child has no helpers, and who calls Run there does all the work; a fork while another
// thread is in Run is not provided for.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "dsi/base/no_throw_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

class WorkerTeam {
 public:
  // `size` threads, the one that calls Run among them; at least 1. Fewer where the system has none.
  explicit WorkerTeam(size_t size);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  size_t size() const { return size_; }
  // False in a child of the process that made the team, where the helpers are not.
  bool is_here() const;
  // Which of the team this thread is: 0 for who calls Run, and for every thread of no team.
  static size_t current();

  // Something that a helper is to do. It must outlive what it was started for: Stop ends that.
  class Task {
   public:
    virtual ~Task() = default;
    // By a helper, once for each Start. Must not throw.
    virtual void Do() = 0;

   private:
    friend class WorkerTeam;
    enum class Progress : uint8_t { kIdle, kWaiting, kRunning, kDone };
    std::atomic<Progress> progress_{Progress::kIdle};
  };
  // Wants a task done that is not wanted yet. Without helpers nothing comes of it. Any thread of
  // the team may call it, and Stop.
  void Start(Task* task);
  // Ends that: takes it back, or waits for the helper that does it. True: it was done.
  bool Stop(Task* task);
  // The same for all tasks; those that were done stay so. By the thread that calls Run.
  void StopAll();

  // Calls work(i), which returns a Status, for every i in [0, count). Stops early after a failure
  // and returns that of the smallest i, whatever the number of threads: pieces are taken in
  // ascending order, and one that was taken is run. What a piece throws becomes a status.
  template <typename Work>
  Status Run(size_t count, const Work& work) {
    if (size_ == 1 || count < 2 || current() != 0) {
      for (size_t i = 0; i < count; ++i) {
        Status status = NoThrow([&]() -> Status { return work(i); });
        if (!status.ok()) return status;
      }
      return Status::Ok();
    }
    return RunPieces(
        count, {&work, [](const void* of, size_t i) {
                  return NoThrow([&]() -> Status { return (*static_cast<const Work*>(of))(i); });
                }});
  }

 private:
  struct Pieces {
    const void* of = nullptr;
    Status (*run)(const void* of, size_t i) = nullptr;
  };
  struct Shared;

  Status RunPieces(size_t count, const Pieces& pieces);
  void StartHelpers();
  void Wake();

  const size_t size_;
  std::unique_ptr<Shared> shared_;  // None where there are no helpers.
  std::vector<std::thread> helpers_;
  pid_t process_ = 0;  // Whose threads they are.
};

}  // namespace dsi::internal
