// Decimals: floats that are an integer divided by a power of ten (E-120). What both directions
// know, and the kernel that decodes. The kernel checks nothing but what it returns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Powers of ten up to 10^10 are exact in float32, up to 10^22 in float64.
inline constexpr std::array<double, 23> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

constexpr int MaxDecimalExponent(int width) { return width == 4 ? 10 : 22; }

// Integers lie in [-2^bits, 2^bits): float32 holds them all. In float64 they could be larger by two
// bits; below 2^51 they become floats by one addition on every CPU.
constexpr int DecimalIntegerBits(int width) { return width == 4 ? 24 : 51; }

struct DecimalParts {
  const std::byte* codes = nullptr;
  size_t code_width = 1;
  uint64_t base = 0;  // Of the values' width.
  int exponent = 0;
};

// dst[i] = float(base + codes[i]) / 10^exponent, for values of `width` 4 or 8. Codes are at most
// that wide and aligned to their width. False where an integer is out of range; what it gave is
// then to be thrown away.
bool JoinDecimal(const DecimalParts& parts, size_t count, size_t width, std::byte* dst);

}  // namespace dsi::internal
