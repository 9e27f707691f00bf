// From a width in bytes to the unsigned type that has it, and typed access to an ArrayView.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/base/bytes_internal.h"

namespace dsi::internal {

// Calls visit(T{0}) with T = uint8_t, uint16_t, uint32_t or uint64_t.
template <typename Visit>
decltype(auto) VisitWidth(size_t width, Visit&& visit) {
  switch (width) {
    case 1:
      return std::forward<Visit>(visit)(uint8_t{0});
    case 2:
      return std::forward<Visit>(visit)(uint16_t{0});
    case 4:
      return std::forward<Visit>(visit)(uint32_t{0});
    default:
      return std::forward<Visit>(visit)(uint64_t{0});
  }
}

template <typename Visit>
decltype(auto) VisitWidth(int width, Visit&& visit) {
  return VisitWidth(static_cast<size_t>(width), std::forward<Visit>(visit));
}

template <typename T>
std::span<const T> Values(const ArrayView& array) {
  return {static_cast<const T*>(array.values), array.count};
}

inline std::span<const std::byte> BytesOf(const ArrayView& array) {
  return {static_cast<const std::byte*>(array.values),
          array.count * static_cast<size_t>(array.width)};
}

template <typename T>
ArrayView ViewOf(std::span<const T> values) {
  return {values.data(), values.size(), static_cast<int>(sizeof(T))};
}

// The smallest of 1, 2, 4 and 8 bytes that holds numbers of this many bits.
constexpr int WidthForBits(int bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }

constexpr int BitsFor(uint64_t largest) { return static_cast<int>(std::bit_width(largest)); }

// All ones in the low `bits` bits, 0 … 64.
constexpr uint64_t LowMask(int bits) { return bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits); }

}  // namespace dsi::internal
