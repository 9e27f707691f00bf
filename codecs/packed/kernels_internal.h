// Kernels of the packed encoding. No checks, no allocation; preconditions are stated at each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Unpacks a full block of 1,024 numbers of one bit width b, 128 * b bytes in lane-interleaved order
// (E-021), adds the low bits of base to each and writes 1,024 values. `in` may have any alignment;
// `out` is aligned to the value and does not overlap it.
using UnpackBlockFn = void (*)(const std::byte* in, uint64_t base, std::byte* out);

// Functions by bit width 0 … 8 * width, for the best SIMD target of this CPU.
const UnpackBlockFn* UnpackTable(size_t width);

// Unpacks count < 1,024 numbers of b bits from a linear block (E-022) of count * b / 8 bytes,
// rounded up to 8.
void UnpackLinear(const std::byte* in, uint64_t base, int bits, size_t count, size_t width,
                  std::byte* out);

// The inverse: `out` receives 128 * bits bytes. values - base must fit in `bits` bits; 1 <= bits <=
// 8 * width.
void PackBlock(const std::byte* values, uint64_t base, int bits, size_t width, std::byte* out);

// The inverse for a linear block; `out` has ⌈count * bits / 64⌉ * 8 bytes.
void PackLinear(const std::byte* values, uint64_t base, int bits, size_t count, size_t width,
                std::byte* out);

// Smallest and largest value of count >= 1 values, as unsigned and as signed numbers of `width`
// bytes.
struct ValueRange {
  uint64_t unsigned_min = 0;
  uint64_t unsigned_max = 0;
  uint64_t signed_min = 0;  // Bit patterns, extended with zeros.
  uint64_t signed_max = 0;
};
ValueRange MeasureRange(const std::byte* values, size_t count, size_t width);

}  // namespace dsi::internal
