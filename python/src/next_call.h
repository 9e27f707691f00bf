// The call for the next batch of a scan, which a signal may leave while it runs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "dsi/python/src/batch.h"
#include "dsi/python/src/interruptible.h"

namespace dsi::python {

// InvalidArgument in a process forked from the one that began the scan.
void CheckProcess(pid_t began);

// Thread safety: under the interpreter's lock. One thread at a time may be in Run, another one is
// refused meanwhile.
class NextCall {
 public:
  struct Made {
    Status status;
    bool more = false;
    std::shared_ptr<Batch> batch;
    std::string state;  // Behind the batch.
    size_t source = 0;  // Of a mixture.
  };

  // What `fill` made, or, where a signal left the call before this one, what that made. `fill` owns
  // all that it refers to. Throws what the status or a signal's handler says. waits: as of
  // Interruptible::Run.
  std::shared_ptr<Made> Run(std::function<void(Made*)> fill, bool waits = true);
  // Until nothing runs that a signal left.
  void Wait() { calls_.Wait(); }
  // Made by a call that a signal left, and not handed out.
  bool is_left() const { return made_ != nullptr; }
  // That, to be destroyed without the interpreter's lock.
  std::shared_ptr<Made> TakeLeft() { return std::exchange(made_, nullptr); }
  Interruptible& calls() { return calls_; }

 private:
  Interruptible calls_;
  std::shared_ptr<Made> made_;  // By the call that is running or ended.
  bool is_called_ = false;      // A thread is in Run.
};

// `scan`: a DatasetScan or a MixedScan.
template <typename S>
void FillNext(S* scan, BatchPool* pool, NextCall::Made* made) {
  made->batch = pool->Take();
  Result<bool> more = scan->Next(made->batch.get());
  made->status = more.status();
  if (!more.ok()) return;
  made->more = *more;
  Result<std::string> state = scan->state();
  made->status = state.status();
  if (state.ok()) made->state = *std::move(state);
}

}  // namespace dsi::python
