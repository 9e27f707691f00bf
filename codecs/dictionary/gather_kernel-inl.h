// Follows codes into a dictionary (E-050, E-051). Included once per SIMD target by gather.cc.

#if defined(DSI_CODECS_DICTIONARY_GATHER_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_DICTIONARY_GATHER_KERNEL_INL_H_
#undef DSI_CODECS_DICTIONARY_GATHER_KERNEL_INL_H_
#else
#define DSI_CODECS_DICTIONARY_GATHER_KERNEL_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The compiler vectorises this one as well as we could.
template <typename Code>
HWY_INLINE uint32_t LargestOf(const Code* HWY_RESTRICT codes, size_t count) {
  Code largest = 0;
  for (size_t i = 0; i < count; ++i) largest = codes[i] > largest ? codes[i] : largest;
  return largest;
}

template <typename Value, typename Code>
HWY_INLINE void GatherOneByOne(const Value* HWY_RESTRICT entries, const Code* HWY_RESTRICT codes,
                               size_t count, Value* HWY_RESTRICT out) {
  for (size_t i = 0; i < count; ++i) out[i] = entries[codes[i]];
}

// Better targets of one architecture have lower numbers, so this holds for those to come as well.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

// Lanes of `d` from codes narrower than it.
template <class D>
HWY_INLINE hn::Vec<D> LoadCodes(D d, const uint32_t* codes) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::LoadU(d, codes);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint32_t, D>(), codes));
  }
}
template <class D>
HWY_INLINE hn::Vec<D> LoadCodes(D d, const uint16_t* codes) {
  const hn::Rebind<uint32_t, D> d32;
  const auto wide = hn::PromoteTo(d32, hn::LoadU(hn::Rebind<uint16_t, D>(), codes));
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return wide;
  } else {
    return hn::PromoteTo(d, wide);
  }
}
template <class D>
HWY_INLINE hn::Vec<D> LoadCodes(D d, const uint8_t* codes) {
  const hn::Rebind<uint32_t, D> d32;
  const auto wide = hn::PromoteTo(d32, hn::LoadU(hn::Rebind<uint8_t, D>(), codes));
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return wide;
  } else {
    return hn::PromoteTo(d, wide);
  }
}

template <typename Value, typename Code>
HWY_INLINE void GatherVectors(const Value* HWY_RESTRICT entries, const Code* HWY_RESTRICT codes,
                              size_t count, Value* HWY_RESTRICT out) {
  const hn::ScalableTag<Value> d;
  const hn::RebindToSigned<decltype(d)> d_index;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  // Two at a time, so that the second's loads fill the gaps of the first.
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto first = hn::GatherIndex(d, entries, hn::BitCast(d_index, LoadCodes(d, codes + i)));
    const auto second =
        hn::GatherIndex(d, entries, hn::BitCast(d_index, LoadCodes(d, codes + i + lanes)));
    hn::StoreU(first, d, out + i);
    hn::StoreU(second, d, out + i + lanes);
  }
  GatherOneByOne(entries, codes + i, count - i, out + i);
}

#else

// Targets without a gather instruction would take the vector apart again.
template <typename Value, typename Code>
HWY_INLINE void GatherVectors(const Value* HWY_RESTRICT entries, const Code* HWY_RESTRICT codes,
                              size_t count, Value* HWY_RESTRICT out) {
  GatherOneByOne(entries, codes, count, out);
}

#endif

template <typename Code>
void GatherWithCodes(const void* entries, size_t width, const std::byte* codes_bytes, size_t count,
                     std::byte* HWY_RESTRICT out) {
  const auto* codes = reinterpret_cast<const Code*>(codes_bytes);
  switch (width) {
    case 1:
      return GatherOneByOne(static_cast<const uint8_t*>(entries), codes, count,
                            reinterpret_cast<uint8_t*>(out));
    case 2:
      return GatherOneByOne(static_cast<const uint16_t*>(entries), codes, count,
                            reinterpret_cast<uint16_t*>(out));
    case 4:
      return GatherVectors(static_cast<const uint32_t*>(entries), codes, count,
                           reinterpret_cast<uint32_t*>(out));
    default:
      return GatherVectors(static_cast<const uint64_t*>(entries), codes, count,
                           reinterpret_cast<uint64_t*>(out));
  }
}

void GatherOfWidths(const void* entries, size_t width, const std::byte* codes, size_t code_width,
                    size_t count, std::byte* out) {
  switch (code_width) {
    case 1:
      return GatherWithCodes<uint8_t>(entries, width, codes, count, out);
    case 2:
      return GatherWithCodes<uint16_t>(entries, width, codes, count, out);
    default:
      return GatherWithCodes<uint32_t>(entries, width, codes, count, out);
  }
}

uint32_t LargestOfWidth(const std::byte* codes, size_t code_width, size_t count) {
  switch (code_width) {
    case 1:
      return LargestOf(reinterpret_cast<const uint8_t*>(codes), count);
    case 2:
      return LargestOf(reinterpret_cast<const uint16_t*>(codes), count);
    default:
      return LargestOf(reinterpret_cast<const uint32_t*>(codes), count);
  }
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
