// Follows codes into a dictionary (E-050, E-051). Included once per SIMD target by gather.cc.

#if defined(DSI_CODECS_DICTIONARY_GATHER_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_DICTIONARY_GATHER_KERNEL_INL_H_
#undef DSI_CODECS_DICTIONARY_GATHER_KERNEL_INL_H_
#else
#define DSI_CODECS_DICTIONARY_GATHER_KERNEL_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
// The compiler vectorises this one as well as we could.
template <typename Code>
HWY_INLINE uint32_t LargestOf(const Code* HWY_RESTRICT codes, size_t count) {
  Code largest = 0;
  for (size_t i = 0; i < count; ++i) largest = codes[i] > largest ? codes[i] : largest;
  return largest;
}

// Codes are read a word at a time and taken out of it by shifts. The CPUs' gather instructions take
// one load per value as well, and more work around it: where the entries are in the first-level
// cache this is 1.3 to 2 times as fast, and beyond it equally so.
template <typename Value, typename Code>
HWY_INLINE void GatherValues(const Value* HWY_RESTRICT entries, const Code* HWY_RESTRICT codes,
                             size_t count, Value* HWY_RESTRICT out) {
  constexpr size_t kPerWord = sizeof(uint64_t) / sizeof(Code);
  constexpr int kBits = 8 * sizeof(Code);
  size_t i = 0;
  for (; i + 2 * kPerWord <= count; i += 2 * kPerWord) {
    uint64_t words[2];
    std::memcpy(words, codes + i, sizeof(words));
    for (size_t w = 0; w < 2; ++w) {
      for (size_t k = 0; k < kPerWord; ++k)
        out[i + w * kPerWord + k] = entries[static_cast<Code>(words[w] >> (kBits * k))];
    }
  }
  for (; i < count; ++i) out[i] = entries[codes[i]];
}

template <typename Code>
void GatherWithCodes(const void* entries, size_t width, const std::byte* codes_bytes, size_t count,
                     std::byte* HWY_RESTRICT out) {
  const auto* codes = reinterpret_cast<const Code*>(codes_bytes);
  switch (width) {
    case 1:
      return GatherValues(static_cast<const uint8_t*>(entries), codes, count,
                          reinterpret_cast<uint8_t*>(out));
    case 2:
      return GatherValues(static_cast<const uint16_t*>(entries), codes, count,
                          reinterpret_cast<uint16_t*>(out));
    case 4:
      return GatherValues(static_cast<const uint32_t*>(entries), codes, count,
                          reinterpret_cast<uint32_t*>(out));
    default:
      return GatherValues(static_cast<const uint64_t*>(entries), codes, count,
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
