// What a call of the library returned, as Python has it: a value, or an exception of dsi.errors.
#pragma once

#include <utility>

#include "dsi/base/status.h"

namespace dsi::python {

// Throws the exception of this code, with the message. A cancelled call of which a callback or a
// signal raised throws what was raised.
[[noreturn]] void Raise(const Status& status);

inline void Check(const Status& status) {
  if (!status.ok()) Raise(status);
}

template <typename T>
T Take(Result<T> result) {
  if (!result.ok()) Raise(result.status());
  return *std::move(result);
}

}  // namespace dsi::python
