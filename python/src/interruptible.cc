#include "dsi/python/src/interruptible.h"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "dsi/python/src/status.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

// How often a waiting call looks at signals.
constexpr auto kLook = std::chrono::milliseconds(20);

bool OnMainThread() { return getpid() == gettid(); }

}  // namespace

struct Interruptible::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> call;
  bool running = false;
  std::thread::id runner;  // Of what runs.
  bool started = false;    // The thread.
  bool over = false;

  void Serve() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return call != nullptr || over; });
      if (call == nullptr) return;
      std::function<void()> now = std::exchange(call, nullptr);
      runner = std::this_thread::get_id();
      lock.unlock();
      now();
      now = nullptr;  // What it refers to ends here, not in the caller.
      lock.lock();
      running = false;
      changed.notify_all();
      if (over) return;
    }
  }

  // Others that wait for idleness wait for this, too.
  void CallHere(const std::function<void()>& work) {
    SetRunning(true);  // Before another thread can find nothing running.
    nb::gil_scoped_release release;
    try {
      work();
    } catch (...) {
      SetRunning(false);
      throw;
    }
    SetRunning(false);
  }

  void SetRunning(bool now) {
    const std::lock_guard lock(mutex);
    running = now;
    runner = std::this_thread::get_id();
    changed.notify_all();
  }

  bool IsRunner() const {
    const std::lock_guard lock(mutex);
    return running && runner == std::this_thread::get_id();
  }

  // Returns when nothing runs, or throws what a signal raised.
  void WaitForIdle() {
    {
      const std::lock_guard lock(mutex);
      if (!running) return;
    }
    if (IsRunner()) {
      Raise(
          {StatusCode::kInvalidArgument,
           "this was called from inside another call of the same object, which it would wait for"});
    }
    while (true) {
      bool idle = false;
      {
        nb::gil_scoped_release release;
        std::unique_lock lock(mutex);
        idle = changed.wait_for(lock, kLook, [&] { return !running; });
      }
      if (idle) {
        // Another thread may have begun before this one had the interpreter's lock again.
        const std::lock_guard lock(mutex);
        if (!running) return;
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }
};

Interruptible::Interruptible() : state_(std::make_shared<State>()), process_(getpid()) {}

Interruptible::~Interruptible() {
  if (getpid() != process_) {
    new std::shared_ptr<State>(std::move(state_));  // Left as it is, for good.
    return;
  }
  std::lock_guard lock(state_->mutex);
  state_->over = true;
  state_->changed.notify_all();
}

void Interruptible::Wait() { state_->WaitForIdle(); }

bool Interruptible::IsInside() const { return state_->IsRunner(); }

void Interruptible::Run(std::function<void()> call, bool waits) {
  state_->WaitForIdle();
  if (!waits || !OnMainThread()) return state_->CallHere(call);
  {
    std::lock_guard lock(state_->mutex);
    if (!state_->started) {
      std::thread([state = state_] { state->Serve(); }).detach();
      state_->started = true;
    }
    state_->call = std::move(call);
    state_->running = true;
    state_->runner = {};  // Until it begins.
    state_->changed.notify_all();
  }
  state_->WaitForIdle();
}

}  // namespace dsi::python
