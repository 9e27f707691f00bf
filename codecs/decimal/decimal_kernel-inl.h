// Integers to floats to quotients (E-120). Plain loops that the compiler vectorises, compiled once
// per SIMD target; a division is rounded the same way by all of them.

#if defined(DSI_CODECS_DECIMAL_DECIMAL_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_DECIMAL_DECIMAL_KERNEL_INL_H_
#undef DSI_CODECS_DECIMAL_DECIMAL_KERNEL_INL_H_
#else
#define DSI_CODECS_DECIMAL_DECIMAL_KERNEL_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "dsi/codecs/decimal/decimal_internal.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {

template <typename Code>
bool JoinFloats(const DecimalParts& parts, size_t count, std::byte* HWY_RESTRICT dst) {
  const auto* HWY_RESTRICT codes = reinterpret_cast<const Code*>(parts.codes);
  auto* HWY_RESTRICT out = reinterpret_cast<float*>(dst);
  const auto base = static_cast<uint32_t>(parts.base);
  const auto power = static_cast<float>(kPowersOfTen[static_cast<size_t>(parts.exponent)]);
  constexpr int kBits = DecimalIntegerBits(4);
  uint32_t outside = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t integer = base + static_cast<uint32_t>(codes[i]);
    outside |= (integer + (uint32_t{1} << kBits)) >> (kBits + 1);
    out[i] = static_cast<float>(static_cast<int32_t>(integer)) / power;
  }
  return outside == 0;
}

// An integer below 2^51 added to the bits of 1.5 * 2^52 is the mantissa of a double; vectors of
// most CPUs have no other conversion. Those outside change the twelve bits above.
template <typename Code>
bool JoinDoubles(const DecimalParts& parts, size_t count, std::byte* HWY_RESTRICT dst) {
  const auto* HWY_RESTRICT codes = reinterpret_cast<const Code*>(parts.codes);
  auto* HWY_RESTRICT out = reinterpret_cast<double*>(dst);
  constexpr double kMagic = 6755399441055744.0;
  constexpr int kMantissaBits = 52;
  const uint64_t start = std::bit_cast<uint64_t>(kMagic) + parts.base;
  const double power = kPowersOfTen[static_cast<size_t>(parts.exponent)];
  uint64_t changed = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = start + static_cast<uint64_t>(codes[i]);
    changed |= bits ^ std::bit_cast<uint64_t>(kMagic);
    out[i] = (std::bit_cast<double>(bits) - kMagic) / power;
  }
  return (changed >> kMantissaBits) == 0;
}

bool JoinOfWidths(const DecimalParts& parts, size_t count, size_t width, std::byte* dst) {
  const bool is_float = width == 4;
  switch (parts.code_width) {
    case 1:
      return is_float ? JoinFloats<uint8_t>(parts, count, dst)
                      : JoinDoubles<uint8_t>(parts, count, dst);
    case 2:
      return is_float ? JoinFloats<uint16_t>(parts, count, dst)
                      : JoinDoubles<uint16_t>(parts, count, dst);
    case 4:
      return is_float ? JoinFloats<uint32_t>(parts, count, dst)
                      : JoinDoubles<uint32_t>(parts, count, dst);
    default:
      return JoinDoubles<uint64_t>(parts, count, dst);
  }
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
