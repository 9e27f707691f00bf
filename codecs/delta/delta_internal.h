// Kernels of the delta encoding (E-030). Arithmetic wraps (E-004). No checks, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// values[0 … count) become zigzag differences[0 … count - 1); count >= 2. Both have the width and
// are aligned to it.
void ZigZagDifferences(const std::byte* values, size_t count, size_t width, std::byte* differences);

// out[i] = before + the differences coded in coded[0 … i]; returns the last. Both have the width
// and are aligned to it.
uint64_t SumZigZag(const std::byte* coded, size_t count, size_t width, uint64_t before,
                   std::byte* out);

}  // namespace dsi::internal
