// Packs full blocks (E-021) and measures ranges: loops that the compiler vectorises, compiled once
// per SIMD target.

#if defined(DSI_CODECS_PACKED_PACK_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_PACKED_PACK_KERNEL_INL_H_
#undef DSI_CODECS_PACKED_PACK_KERNEL_INL_H_
#else
#define DSI_CODECS_PACKED_PACK_KERNEL_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "dsi/codecs/packed/kernels_internal.h"
#include "dsi/codecs/width_internal.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {

// One loop for all bit widths: packing is a small part of writing, and unrolled code would double
// the library.
template <typename T>
void PackFull(const std::byte* HWY_RESTRICT values, uint64_t base, int bits,
              std::byte* HWY_RESTRICT out) {
  constexpr int kT = 8 * sizeof(T);
  constexpr size_t kRow = 128;
  constexpr size_t kLanes = kRow / sizeof(T);
  const T subtract = static_cast<T>(base);
  T words[kLanes] = {};
  int used = 0;  // Bits filled in each of the words.
  for (int step = 0; step < kT; ++step) {
    T row[kLanes];
    std::memcpy(row, values + static_cast<size_t>(step) * kRow, kRow);
    for (size_t lane = 0; lane < kLanes; ++lane) row[lane] = static_cast<T>(row[lane] - subtract);
    for (size_t lane = 0; lane < kLanes; ++lane) words[lane] |= static_cast<T>(row[lane] << used);
    used += bits;
    if (used < kT) continue;
    std::memcpy(out, words, kRow);
    out += kRow;
    used -= kT;
    // What did not fit; all of it did where used is zero, and shifting by the full width would be
    // undefined.
    const int carried = bits - used;
    for (size_t lane = 0; lane < kLanes; ++lane)
      words[lane] = used == 0 ? T{0} : static_cast<T>(row[lane] >> carried);
  }
}

template <typename T>
ValueRange RangeOf(const std::byte* HWY_RESTRICT values, size_t count) {
  using S = std::make_signed_t<T>;
  const T* HWY_RESTRICT numbers = reinterpret_cast<const T*>(values);
  T low = std::numeric_limits<T>::max();
  T high = 0;
  S signed_low = std::numeric_limits<S>::max();
  S signed_high = std::numeric_limits<S>::min();
  for (size_t i = 0; i < count; ++i) {
    const T value = numbers[i];
    const S number = static_cast<S>(value);
    low = value < low ? value : low;
    high = value > high ? value : high;
    signed_low = number < signed_low ? number : signed_low;
    signed_high = number > signed_high ? number : signed_high;
  }
  return {low, high, static_cast<T>(signed_low), static_cast<T>(signed_high)};
}

void PackFullOfWidth(const std::byte* values, uint64_t base, int bits, size_t width,
                     std::byte* out) {
  return VisitWidth(
      width, [&](auto zero) HWY_ATTR { return PackFull<decltype(zero)>(values, base, bits, out); });
}

ValueRange RangeOfWidth(const std::byte* values, size_t count, size_t width) {
  return VisitWidth(width,
                    [&](auto zero) HWY_ATTR { return RangeOf<decltype(zero)>(values, count); });
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
