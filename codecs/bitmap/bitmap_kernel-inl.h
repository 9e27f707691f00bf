// Bits to the values 0 and 1 and back (E-060). Included once per SIMD target by bitmap_kernel.cc.

#if defined(DSI_CODECS_BITMAP_BITMAP_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_BITMAP_BITMAP_KERNEL_INL_H_
#undef DSI_CODECS_BITMAP_BITMAP_KERNEL_INL_H_
#else
#define DSI_CODECS_BITMAP_BITMAP_KERNEL_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kBitBlock = 1024;

// Bits to bytes. A vector's bits are read as 8 bytes, so the last 64 are done one by one.
HWY_INLINE void BitsToBytes(const uint8_t* HWY_RESTRICT bits, size_t count,
                            uint8_t* HWY_RESTRICT out) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::CappedTag<uint8_t, 64> d;
  const size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, uint8_t{1});
  for (; i + 64 <= count; i += lanes)
    hn::StoreU(hn::IfThenElseZero(hn::LoadMaskBits(d, bits + i / 8), one), d, out + i);
#else
  for (; i + 8 <= count; i += 8) {
    for (size_t k = 0; k < 8; ++k) out[i + k] = static_cast<uint8_t>((bits[i / 8] >> k) & 1U);
  }
#endif
  for (; i < count; ++i) out[i] = static_cast<uint8_t>((bits[i / 8] >> (i % 8)) & 1U);
}

// Wider values are made from bytes, block by block in the first-level cache; the compiler
// vectorises the widening.
template <typename T>
void ExpandBitsOf(const uint8_t* bits, size_t count, std::byte* out) {
  auto* HWY_RESTRICT values = reinterpret_cast<T*>(out);
  if constexpr (sizeof(T) == 1) {
    BitsToBytes(bits, count, values);
  } else {
    uint8_t bytes[kBitBlock];
    for (size_t at = 0; at < count; at += kBitBlock) {
      const size_t n = count - at < kBitBlock ? count - at : kBitBlock;
      BitsToBytes(bits + at / 8, n, bytes);
      for (size_t i = 0; i < n; ++i) values[at + i] = static_cast<T>(bytes[i]);
    }
  }
}

// Eight bytes of 0 and 1 become one: the multiplication moves bit 8k to bit 56 + k.
HWY_INLINE uint8_t CollectEight(const uint8_t* bytes) {
  uint64_t eight;
  std::memcpy(&eight, bytes, 8);
  return static_cast<uint8_t>((eight * 0x0102040810204080ULL) >> 56);
}

template <typename T>
void CollectBitsOf(const std::byte* in, size_t count, uint8_t* HWY_RESTRICT bits) {
  const auto* HWY_RESTRICT values = reinterpret_cast<const T*>(in);
  uint8_t bytes[kBitBlock];
  for (size_t at = 0; at < count; at += kBitBlock) {
    const size_t n = count - at < kBitBlock ? count - at : kBitBlock;
    for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<uint8_t>(values[at + i]);
    for (size_t i = n; i % 8 != 0; ++i) bytes[i] = 0;
    for (size_t i = 0; i < n; i += 8) bits[(at + i) / 8] = CollectEight(bytes + i);
  }
}

void ExpandBitsOfWidth(const std::byte* bits, size_t count, size_t width, std::byte* out) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(bits);
  switch (width) {
    case 1:
      return ExpandBitsOf<uint8_t>(bytes, count, out);
    case 2:
      return ExpandBitsOf<uint16_t>(bytes, count, out);
    case 4:
      return ExpandBitsOf<uint32_t>(bytes, count, out);
    default:
      return ExpandBitsOf<uint64_t>(bytes, count, out);
  }
}

void CollectBitsOfWidth(const std::byte* values, size_t count, size_t width, std::byte* bits) {
  auto* bytes = reinterpret_cast<uint8_t*>(bits);
  switch (width) {
    case 1:
      return CollectBitsOf<uint8_t>(values, count, bytes);
    case 2:
      return CollectBitsOf<uint16_t>(values, count, bytes);
    case 4:
      return CollectBitsOf<uint32_t>(values, count, bytes);
    default:
      return CollectBitsOf<uint64_t>(values, count, bytes);
  }
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
