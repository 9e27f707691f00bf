// The border of the library. Inside it, running out of memory or of a budget is thrown; across it
// nothing is.
#pragma once

#include "dsi/base/status.h"

namespace dsi::internal {

// The message fits into the std::string itself: to say that there is no memory needs none.
inline Status OutOfMemory() { return {StatusCode::kResourceExhausted, "out of memory"}; }

// What the exception being handled means to a caller: memory that ran out, or a budget that did,
// is kResourceExhausted; anything else came out of an object of the caller's (a file, a callback),
// kCancelled. Call it in a handler.
Status StatusOfException() noexcept;

// Runs the work of a public call and returns what that returns, a Status or a Result.
template <typename Work>
auto NoThrow(const Work& work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return StatusOfException();
  }
}

}  // namespace dsi::internal
