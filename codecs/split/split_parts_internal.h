// The parts of a split, taken from values (E-080).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/codecs/width_internal.h"

namespace dsi::internal {

// values >> drop, the low `bits` of it, as numbers of `width` bytes.
template <typename T>
std::vector<uint64_t> TakeBits(std::span<const T> values, int drop, int bits, int width) {
  std::vector<uint64_t> words((values.size() * static_cast<size_t>(width) + 7) / 8);
  const T mask = static_cast<T>(LowMask(bits));
  VisitWidth(width, [&](auto zero) {
    using Part = decltype(zero);
    Part* part = reinterpret_cast<Part*>(words.data());
    for (size_t i = 0; i < values.size(); ++i)
      part[i] = static_cast<Part>(static_cast<T>(values[i] >> drop) & mask);
  });
  return words;
}

// Values whose top bit has moved to between the high part and `low_bits` - 1 bits of the low part:
// the signs of floats are noise, and what is left above is the exponent alone.
template <typename T>
std::vector<T> MoveSigns(std::span<const T> values, int low_bits, int shift) {
  constexpr int kTop = 8 * static_cast<int>(sizeof(T)) - 1;
  const int at = low_bits - 1 + shift;
  const T below = static_cast<T>(LowMask(at));
  const T above = static_cast<T>(LowMask(kTop) & ~LowMask(at));
  std::vector<T> moved(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const T v = values[i];
    moved[i] = static_cast<T>(static_cast<T>((v & above) << 1) |
                              static_cast<T>(static_cast<T>(v >> kTop) << at) | (v & below));
  }
  return moved;
}

}  // namespace dsi::internal
