// Memory that will be looked at soon.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Has the lines of `size` bytes on their way; that they are there is not asked.
inline void PrefetchLines(const void* from, size_t size) {
  // GCC 12 takes functions that only prefetch for pure ones and drops calls of them.
  asm volatile("");
  const auto begin = reinterpret_cast<uintptr_t>(from);
  for (size_t at = 0; at < size; at += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(begin + at));
}

}  // namespace dsi::internal
