#include "dsi/reader/decode/narrow_values_internal.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dsi::internal {
namespace {

template <typename T>
uint64_t AllBits(const std::byte* values, uint64_t count) {
  const auto* const from = reinterpret_cast<const T*>(values);
  T bits = 0;
  for (uint64_t i = 0; i < count; ++i) bits |= from[i];
  return bits;
}

// Some at a time, by way of memory of its own: the places of numbers and those that they move to
// are of one block.
template <typename From, typename To>
void Move(std::byte* values, uint64_t count) {
  constexpr uint64_t kAtATime = 512;
  From wide[kAtATime];
  To narrow[kAtATime];
  for (uint64_t first = 0; first < count; first += kAtATime) {
    const uint64_t some = std::min(kAtATime, count - first);
    std::memcpy(wide, values + first * sizeof(From), some * sizeof(From));
    for (uint64_t i = 0; i < some; ++i) narrow[i] = static_cast<To>(wide[i]);
    std::memcpy(values + first * sizeof(To), narrow, some * sizeof(To));
  }
}

template <typename From>
size_t NarrowFrom(std::byte* values, uint64_t count) {
  const auto bits = std::bit_width(AllBits<From>(values, count));
  if (bits <= 8) {
    Move<From, uint8_t>(values, count);
    return 1;
  }
  if (bits <= 16) {
    Move<From, uint16_t>(values, count);
    return 2;
  }
  if (bits > 32 || sizeof(From) == 4) return sizeof(From);
  Move<From, uint32_t>(values, count);
  return 4;
}

}  // namespace

size_t NarrowInPlace(std::byte* values, uint64_t count, size_t width) {
  if (width == 8) return NarrowFrom<uint64_t>(values, count);
  return width == 4 ? NarrowFrom<uint32_t>(values, count) : width;
}

}  // namespace dsi::internal
