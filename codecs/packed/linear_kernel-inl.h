// Linear blocks (E-022): one little-endian bit stream, read from any byte. Included once per SIMD
// target by linear_kernel.cc.

#if defined(DSI_CODECS_PACKED_LINEAR_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_PACKED_LINEAR_KERNEL_INL_H_
#undef DSI_CODECS_PACKED_LINEAR_KERNEL_INL_H_
#else
#define DSI_CODECS_PACKED_LINEAR_KERNEL_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dsi/base/bytes_internal.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bits of a number that the 8 bytes from its first one hold: the number starts at bit 0 … 7.
inline constexpr int kOneLoad = 57;

// The first `count` numbers, each of which may be read as 8 bytes; returns how many were done.
template <typename T>
HWY_INLINE size_t UnpackByGather(const std::byte* HWY_RESTRICT in, T add, int bits, size_t count,
                                 T* HWY_RESTRICT out) {
  size_t i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::ScalableTag<uint64_t> d;
  const hn::RebindToSigned<decltype(d)> d_offset;
  const hn::Rebind<T, decltype(d)> d_out;
  const auto* words = reinterpret_cast<const uint64_t*>(in);
  const auto mask = hn::Set(d, ~uint64_t{0} >> (64 - bits));
  const auto step = hn::Set(d, hn::Lanes(d) * static_cast<uint64_t>(bits));
  HWY_ALIGN uint64_t first[hn::MaxLanes(d)];
  for (size_t k = 0; k < hn::Lanes(d); ++k) first[k] = k * static_cast<uint64_t>(bits);
  auto bit = hn::Load(d, first);
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto word = hn::GatherOffset(d, words, hn::BitCast(d_offset, hn::ShiftRight<3>(bit)));
    const auto number = hn::And(hn::Shr(word, hn::And(bit, hn::Set(d, uint64_t{7}))), mask);
    if constexpr (sizeof(T) == 8) {
      hn::StoreU(hn::Add(number, hn::Set(d, add)), d, out + i);
    } else {
      hn::StoreU(hn::Add(hn::TruncateTo(d_out, number), hn::Set(d_out, add)), d_out, out + i);
    }
    bit = hn::Add(bit, step);
  }
#else
  static_cast<void>(in), static_cast<void>(add), static_cast<void>(bits);
  static_cast<void>(count), static_cast<void>(out);
#endif
  return i;
}

template <typename T>
void UnpackLinearOf(const std::byte* HWY_RESTRICT in, uint64_t base, int bits, size_t count,
                    std::byte* out_bytes) {
  auto* HWY_RESTRICT out = reinterpret_cast<T*>(out_bytes);
  const T add = static_cast<T>(base);
  if (bits == 0) {
    std::fill_n(out, count, add);
    return;
  }
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  const auto step = static_cast<size_t>(bits);
  size_t i = 0;
  if (bits <= kOneLoad) {
    // Near the end 8 bytes would pass it.
    const size_t size = AlignUp(count * step, 64) / 8;
    const size_t whole = std::min(count, ((size - 8) * 8 + 7) / step + 1);
    i = UnpackByGather(in, add, bits, whole, out);
    for (size_t bit = i * step; i < whole; ++i, bit += step) {
      const uint64_t number = (LoadLE<uint64_t>(in + bit / 8) >> (bit % 8)) & mask;
      out[i] = static_cast<T>(static_cast<T>(number) + add);
    }
  }
  const size_t last_word = (count * step - 1) / 64;
  for (size_t bit = i * step; i < count; ++i, bit += step) {
    const size_t word = bit / 64;
    const unsigned shift = bit % 64;
    // A number that ends in its word also reads the next one, or the last word again, and masks it
    // away.
    const uint64_t low = LoadLE<uint64_t>(in + word * 8) >> shift;
    const uint64_t high = LoadLE<uint64_t>(in + std::min(word + 1, last_word) * 8)
                          << 1 << (63 - shift);
    out[i] = static_cast<T>(static_cast<T>((low | high) & mask) + add);
  }
}

void UnpackLinearOfWidth(const std::byte* in, uint64_t base, int bits, size_t count, size_t width,
                         std::byte* out) {
  switch (width) {
    case 1:
      return UnpackLinearOf<uint8_t>(in, base, bits, count, out);
    case 2:
      return UnpackLinearOf<uint16_t>(in, base, bits, count, out);
    case 4:
      return UnpackLinearOf<uint32_t>(in, base, bits, count, out);
    default:
      return UnpackLinearOf<uint64_t>(in, base, bits, count, out);
  }
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
