#include "dsi/python/src/told_call.h"

#include <utility>

#include "dsi/python/src/status.h"

namespace nb = nanobind;

namespace dsi::python {

ToldCall::~ToldCall() {
  LetGo(&progress);
  LetGo(&raised);
}

bool ToldCall::Tell(const char* phase, uint64_t done, uint64_t total) {
  if (progress.is_none()) return !stopped && nb::is_alive();
  return Ask([&] { return progress(phase, done, total); });
}

bool ToldCall::Ask(const std::function<nb::object()>& call) {
  if (stopped || !nb::is_alive()) return false;
  nb::gil_scoped_acquire hold;
  try {
    return call().ptr() != Py_False && !stopped;
  } catch (nb::python_error& error) {
    raised = nb::borrow(error.value());
    return false;
  }
}

void LetGo(nb::object* object) {
  if (!nb::is_alive()) {  // Nothing of the interpreter's may be touched any more.
    object->release();
    return;
  }
  nb::gil_scoped_acquire hold;
  object->reset();
}

void RunTold(Interruptible* calls, const std::shared_ptr<ToldCall>& told,
             const std::function<Status()>& call) {
  auto status = std::make_shared<Status>();
  try {
    calls->Run([told, call, status] { *status = call(); });
  } catch (nb::python_error&) {
    if (calls->IsInside()) throw;  // Refused; what runs goes on.
    // What runs may call Python, which must not go away meanwhile. Another signal ends waiting.
    told->stopped = true;
    calls->Wait();
    throw;
  }
  if (told->raised.is_valid() && status->code() == StatusCode::kCancelled) {
    const nb::object raised = std::exchange(told->raised, {});
    PyErr_SetObject(raised.type().ptr(), raised.ptr());
    throw nb::python_error();
  }
  Check(*status);
}

void RunUntold(const std::function<Status()>& call) {
  Interruptible calls;
  RunTold(&calls, std::make_shared<ToldCall>(nb::none()), call);
}

}  // namespace dsi::python
