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
namespace hn = hwy::HWY_NAMESPACE;

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

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
// By which of eight places are taken: for each, how many are before it.
struct Ranks {
  constexpr Ranks() {
    for (size_t taken = 0; taken < 256; ++taken) {
      for (size_t k = 0, rank = 0; k < 8; ++k) {
        of[taken][k] = static_cast<uint8_t>(rank);
        rank += taken >> k & 1;
      }
    }
  }
  uint8_t of[256][8] = {};
};
constexpr Ranks kRanks;

// Puts literals at the places of out[0 .. 8) that `taken` names. Eight can be read.
template <typename Value>
HWY_INLINE const Value* PutAmongEight(const Value* HWY_RESTRICT literals, uint8_t taken,
                                      Value* HWY_RESTRICT out) {
  const hn::CappedTag<Value, 8> d;
  const hn::Rebind<int32_t, decltype(d)> d32;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  constexpr size_t kLanes = hn::MaxLanes(d);
  for (size_t k = 0; k < 8; k += kLanes) {
    const uint8_t here = static_cast<uint8_t>((taken >> k) & ((1U << kLanes) - 1));
    const auto ranks = hn::PromoteTo(d32, hn::LoadU(d8, kRanks.of[here]));
    const auto values = hn::LoadU(d, literals);
    const uint8_t bits[8] = {here};  // What LoadMaskBits may read.
    const auto places = hn::LoadMaskBits(d, bits);
    if constexpr (sizeof(Value) == 8) {
      const auto indices =
          hn::IndicesFromVec(d, hn::PromoteTo(hn::Rebind<int64_t, decltype(d)>(), ranks));
      hn::BlendedStore(hn::TableLookupLanes(values, indices), places, d, out + k);
    } else {
      hn::BlendedStore(hn::TableLookupLanes(values, hn::IndicesFromVec(d, ranks)), places, d,
                       out + k);
    }
    literals += hwy::PopCount(here);
  }
  return literals;
}
#endif

// As above, one by one.
template <typename Value>
HWY_INLINE const Value* PutOneByOne(const Value* HWY_RESTRICT literals, uint8_t taken,
                                    Value* HWY_RESTRICT out) {
  for (uint32_t left = taken; left != 0; left &= left - 1)
    out[hwy::Num0BitsBelowLS1Bit_Nonzero32(left)] = *literals++;
  return literals;
}

// First as if literals were the first entry, then those in their places: a branch for each value
// would be guessed wrong as often as literals come and go.
template <typename Value, typename Code>
HWY_INLINE void GatherOrNextValues(const Value* HWY_RESTRICT entries,
                                   const Value* HWY_RESTRICT literals, size_t num_literals,
                                   const Code* HWY_RESTRICT codes, Code literal, size_t count,
                                   Value* HWY_RESTRICT out) {
  constexpr size_t kMost = 1024;
  Code followed[kMost];
  const hn::CappedTag<Code, 64> d;
  const size_t lanes = hn::Lanes(d);
  const auto sought = hn::Set(d, literal);
  [[maybe_unused]] const Value* const end = literals + num_literals;
  for (size_t left = count; left != 0;) {
    const size_t n = left < kMost ? left : kMost;
    for (size_t i = 0; i < n; ++i) followed[i] = codes[i] == literal ? Code{0} : codes[i];
    GatherValues(entries, followed, n, out);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      // Bytes, not one integer: GCC 12 was seen to widen a mask of 32 bits where it spills it, and
      // then to read 64 of which it had written 32.
      uint8_t taken[8];
      hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, codes + i), sought), taken);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
      if constexpr (sizeof(Value) >= 4) {
        if (static_cast<size_t>(end - literals) >= lanes) {
          for (size_t k = 0; k < lanes; k += 8)
            literals = PutAmongEight(literals, taken[k / 8], out + i + k);
          continue;
        }
      }
#endif
      for (size_t k = 0; k < lanes; k += 8)
        literals = PutOneByOne(literals, taken[k / 8], out + i + k);
    }
    for (; i < n; ++i) {
      if (codes[i] == literal) out[i] = *literals++;
    }
    codes += n;
    out += n;
    left -= n;
  }
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

template <typename Code>
void GatherOrNextWithCodes(const void* entries, const void* literals, size_t num_literals,
                           size_t width, const std::byte* codes_bytes, uint32_t literal,
                           size_t count, std::byte* HWY_RESTRICT out) {
  const auto* codes = reinterpret_cast<const Code*>(codes_bytes);
  const auto gather = [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    GatherOrNextValues(static_cast<const T*>(entries), static_cast<const T*>(literals),
                       num_literals, codes, static_cast<Code>(literal), count,
                       reinterpret_cast<T*>(out));
  };
  switch (width) {
    case 1:
      return gather(uint8_t{0});
    case 2:
      return gather(uint16_t{0});
    case 4:
      return gather(uint32_t{0});
    default:
      return gather(uint64_t{0});
  }
}

void GatherOrNextOfWidths(const void* entries, const void* literals, size_t num_literals,
                          size_t width, const std::byte* codes, size_t code_width, uint32_t literal,
                          size_t count, std::byte* out) {
  switch (code_width) {
    case 1:
      return GatherOrNextWithCodes<uint8_t>(entries, literals, num_literals, width, codes, literal,
                                            count, out);
    case 2:
      return GatherOrNextWithCodes<uint16_t>(entries, literals, num_literals, width, codes, literal,
                                             count, out);
    default:
      return GatherOrNextWithCodes<uint32_t>(entries, literals, num_literals, width, codes, literal,
                                             count, out);
  }
}

template <typename Code>
HWY_INLINE size_t CountOf(const Code* HWY_RESTRICT codes, size_t count, uint32_t sought) {
  if (sought != static_cast<Code>(sought)) return 0;
  uint32_t found = 0;
  for (size_t i = 0; i < count; ++i) found += codes[i] == static_cast<Code>(sought) ? 1 : 0;
  return found;
}

size_t CountOfWidth(const std::byte* codes, size_t code_width, size_t count, uint32_t sought) {
  switch (code_width) {
    case 1:
      return CountOf(reinterpret_cast<const uint8_t*>(codes), count, sought);
    case 2:
      return CountOf(reinterpret_cast<const uint16_t*>(codes), count, sought);
    default:
      return CountOf(reinterpret_cast<const uint32_t*>(codes), count, sought);
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
