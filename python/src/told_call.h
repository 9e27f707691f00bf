// Calls that tell a callable of Python's how far they are, and stop when it or a signal says so.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "dsi/base/status.h"
#include "dsi/python/src/interruptible.h"

namespace dsi::python {

// What such a call shares with who made it.
struct ToldCall {
  nanobind::object progress;  // None, or a callable: phase, rows done, rows in all.
  nanobind::object raised;    // What it raised.
  std::atomic<bool> stopped = false;

  explicit ToldCall(nanobind::object told) : progress(std::move(told)) {}
  ToldCall(const ToldCall&) = delete;
  ToldCall& operator=(const ToldCall&) = delete;
  ~ToldCall();
  // Tells the callable, from any thread; false: it, or a signal, asks to stop.
  bool Tell(const char* phase, uint64_t done, uint64_t total);
  // Makes another call of Python, which is answered in the same way.
  bool Ask(const std::function<nanobind::object()>& call);
};

// Lets go of an object, from any thread, whether or not the interpreter is still there.
void LetGo(nanobind::object* object);

// Makes the call. A signal that raises stops it after the piece of work that it is at, and a second
// one leaves it at once. Throws what the callable raised, or the error of the call.
void RunTold(Interruptible* calls, const std::shared_ptr<ToldCall>& told,
             const std::function<Status()>& call);
// The same of a call that tells nobody; it owns all that it refers to.
void RunUntold(const std::function<Status()>& call);

}  // namespace dsi::python
