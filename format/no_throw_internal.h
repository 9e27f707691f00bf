// The border of the library. Inside it, running out of memory is thrown; across it nothing is.
#pragma once

#include <new>
#include <stdexcept>
#include <type_traits>

#include "dsi/format/status.h"

namespace dsi::internal {

// The message fits into the std::string itself: to say that there is no memory needs none.
inline Status OutOfMemory() { return {StatusCode::kResourceExhausted, "out of memory"}; }

// Runs the work of a public call. Exceptions of the standard library mean that there is no memory;
// any other comes from an object of the caller's (a file, a callback). Returns what work returns, a
// Status or a Result.
template <typename Work>
std::invoke_result_t<const Work&> NoThrow(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();  // A size beyond all memory.
  } catch (...) {
    return Status(StatusCode::kInvalidArgument, "user code threw");
  }
}

}  // namespace dsi::internal
