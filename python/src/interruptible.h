// Calls that may wait for long, made so that Ctrl-C and other signals are answered at once.
#pragma once

#include <functional>
#include <memory>

namespace dsi::python {

// Runs one call at a time. On the main thread, where Python handles signals, the call is made by a
// thread of its own and Run looks at signals while it waits; a signal that raises leaves Run at
// once, and the next Run waits for the call that is still running before it begins its own. On
// other threads the call is made directly. Called with the interpreter's lock held, which is
// released meanwhile.
//
// Thread safety: one thread at a time.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();  // Does not wait: a call that is running keeps what it refers to alive.
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  // `call` owns all that it refers to, since it may outlive the caller. Throws what a signal's
  // handler raised, and InvalidArgument inside another call of this. A call that waits for nothing
  // is made directly.
  void Run(std::function<void()> call, bool waits = true);
  // Until nothing runs that a signal left. Throws as Run does.
  void Wait();
  // Whether this is inside a call, where Run and Wait are refused.
  bool IsInside() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  int process_;  // In one forked from it the thread is not there, and the lock may be taken.
};

}  // namespace dsi::python
