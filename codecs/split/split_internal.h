// Kernels of the split encoding (E-080). No checks, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

class Chooser;

struct SplitParts {
  const std::byte* high = nullptr;
  size_t high_width = 1;
  const std::byte* low = nullptr;  // Not read when low_width is 0.
  size_t low_width = 0;
  int low_bits =
      0;  // Bits of the low part that follow the high part; one above them is the top bit.
  int shift = 0;
};

// dst[i] = ((high[i] << low_bits) | low) << shift, for values of `width` bytes, where low is the
// low_bits of low[i]; a bit of it above those goes to the top of the value. Parts are at most that
// wide and aligned to their widths; low_bits + shift < 8 * width.
void JoinSplit(const SplitParts& parts, size_t count, size_t width, std::byte* dst);

// All values OR-ed: their highest bit says whether every one is small enough.
uint64_t UnionOfBits(const std::byte* values, size_t width, size_t count);

// Offers splits of an array to a choice.
void ConsiderSplit(Chooser* chooser);

}  // namespace dsi::internal
