// Kernels of the bitmap encoding (E-060). No checks, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Writes count values 0 and 1 of `width` bytes from ⌈count / 8⌉ bytes; out is aligned to the width.
void ExpandBits(const std::byte* bits, size_t count, size_t width, std::byte* out);

// The inverse: every value is 0 or 1; `bits` has ⌈count / 8⌉ bytes, whatever is in them.
void CollectBits(const std::byte* values, size_t count, size_t width, std::byte* bits);

}  // namespace dsi::internal
