// Memory that will be looked at soon.
#pragma once

#include <cstddef>

namespace dsi::internal {

// Has the lines of `size` bytes on their way.
inline void PrefetchLines(const void* from, size_t size) {
  // GCC 12 takes functions that only prefetch for pure ones and drops calls of them.
  asm volatile("");
  const auto* const bytes = static_cast<const char*>(from);
  for (size_t at = 0; at < size; at += 64) __builtin_prefetch(bytes + at);
}

}  // namespace dsi::internal
