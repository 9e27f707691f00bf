// The wall between exceptions inside (a vector that cannot grow, a caller's callback that throws)
// and the public surface, which has none.
#pragma once

#include "dsi/format/status.h"

namespace dsi::internal {

// What the exception being handled means to a caller: memory that ran out, or a budget that did,
// is kResourceExhausted; anything else came out of a callback of the caller's, kCancelled. Call it
// in a handler.
Status StatusOfException() noexcept;

// Calls what returns a Status or a Result, and returns that. Never throws.
template <typename Call>
auto Guarded(const Call& call) noexcept -> decltype(call()) {
  try {
    return call();
  } catch (...) {
    return StatusOfException();
  }
}

}  // namespace dsi::internal
