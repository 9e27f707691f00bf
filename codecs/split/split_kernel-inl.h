// Puts high and low parts together (E-080). Plain loops that the compiler vectorises, compiled once
// per SIMD target.

#if defined(DSI_CODECS_SPLIT_SPLIT_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_SPLIT_SPLIT_KERNEL_INL_H_
#undef DSI_CODECS_SPLIT_SPLIT_KERNEL_INL_H_
#else
#define DSI_CODECS_SPLIT_SPLIT_KERNEL_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "dsi/codecs/split/split_internal.h"
#include "dsi/codecs/width_internal.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {

template <typename T, typename High, typename Low>
void JoinParts(const SplitParts& parts, size_t count, std::byte* HWY_RESTRICT dst) {
  const auto* HWY_RESTRICT high = reinterpret_cast<const High*>(parts.high);
  const auto* HWY_RESTRICT low = reinterpret_cast<const Low*>(parts.low);
  auto* HWY_RESTRICT out = reinterpret_cast<T*>(dst);
  const int low_bits = parts.low_bits;
  const int shift = parts.shift;
  constexpr int kTop = 8 * static_cast<int>(sizeof(T)) - 1;
  // Without a sign in the low part nothing is above its low_bits.
  const T mask = static_cast<T>(static_cast<T>(T{1} << low_bits) - 1);
  for (size_t i = 0; i < count; ++i) {
    const T low_part = static_cast<T>(low[i]);
    const T value = static_cast<T>(static_cast<T>(static_cast<T>(high[i]) << low_bits) |
                                   static_cast<T>(low_part & mask));
    const T sign = static_cast<T>(static_cast<T>(low_part >> low_bits) << kTop);
    out[i] = static_cast<T>(static_cast<T>(value << shift) | sign);
  }
}

template <typename T, typename High>
void WidenPart(const SplitParts& parts, size_t count, std::byte* HWY_RESTRICT dst) {
  const auto* HWY_RESTRICT high = reinterpret_cast<const High*>(parts.high);
  auto* HWY_RESTRICT out = reinterpret_cast<T*>(dst);
  const int shift = parts.shift;
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<T>(static_cast<T>(high[i]) << shift);
}

template <typename T, typename High>
void JoinWithHigh(const SplitParts& parts, size_t count, std::byte* dst) {
  switch (parts.low_width) {
    case 0:
      return WidenPart<T, High>(parts, count, dst);
    case 1:
      return JoinParts<T, High, uint8_t>(parts, count, dst);
    case 2:
      return JoinParts<T, High, uint16_t>(parts, count, dst);
    case 4:
      return JoinParts<T, High, uint32_t>(parts, count, dst);
    default:
      return JoinParts<T, High, uint64_t>(parts, count, dst);
  }
}

template <typename T>
void JoinInto(const SplitParts& parts, size_t count, std::byte* dst) {
  return VisitWidth(parts.high_width, [&](auto zero) HWY_ATTR {
    return JoinWithHigh<T, decltype(zero)>(parts, count, dst);
  });
}

void JoinOfWidth(const SplitParts& parts, size_t count, size_t width, std::byte* dst) {
  return VisitWidth(
      width, [&](auto zero) HWY_ATTR { return JoinInto<decltype(zero)>(parts, count, dst); });
}

template <typename T>
uint64_t UnionOf(const std::byte* bytes, size_t count) {
  const auto* values = reinterpret_cast<const T*>(bytes);
  T any = 0;
  for (size_t i = 0; i < count; ++i) any |= values[i];
  return any;
}

uint64_t UnionOfWidth(const std::byte* values, size_t width, size_t count) {
  return VisitWidth(width,
                    [&](auto zero) HWY_ATTR { return UnionOf<decltype(zero)>(values, count); });
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
