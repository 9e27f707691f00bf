// Puts selectors and offsets together (E-110). Included once per SIMD target by skewed_kernel.cc.
//
// Eight widths become eight places in the bit stream by one multiplication, and the bytes at each
// place are shuffled into its lane: no number waits for the one before it.

#if defined(DSI_CODECS_SKEWED_SKEWED_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_SKEWED_SKEWED_KERNEL_INL_H_
#undef DSI_CODECS_SKEWED_SKEWED_KERNEL_INL_H_
#else
#define DSI_CODECS_SKEWED_SKEWED_KERNEL_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dsi/codecs/skewed/skewed_internal.h"
#include "dsi/codecs/width_internal.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

uint64_t SumOfBitsKernel(const SkewedClasses& classes, const uint8_t* selectors, size_t count) {
  uint64_t sum = 0;
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<uint8_t, 16> d;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  HWY_ALIGN uint8_t widths_of[16] = {};
  std::copy(classes.bits.begin(), classes.bits.end(), widths_of);
  const auto table = hn::Load(d, widths_of);
  auto sums = hn::Zero(d64);
  for (; i + 16 <= count; i += 16)
    sums = hn::Add(sums, hn::SumsOf8(hn::TableLookupBytes(table, hn::LoadU(d, selectors + i))));
  sum = hn::GetLane(hn::SumOfLanes(d64, sums));
#endif
  for (; i < count; ++i) sum += classes.bits[selectors[i]];
  return sum;
}

// Where in the stream the next number starts.
struct BitStream {
  const uint8_t* bytes;
  size_t size;
  uint64_t bit;
};

template <typename T>
HWY_INLINE void JoinOneByOne(const SkewedClasses& classes, const uint8_t* selectors, size_t count,
                             BitStream stream, T* HWY_RESTRICT out) {
  for (size_t i = 0; i < count; ++i) {
    const uint8_t c = selectors[i];
    const size_t at = static_cast<size_t>(stream.bit >> 3);
    uint64_t word = 0;
    // There may be no bits at all.
    if (at < stream.size)
      std::memcpy(&word, stream.bytes + at, std::min<size_t>(8, stream.size - at));
    const uint64_t offset = (word >> (stream.bit & 7)) & ((uint64_t{1} << classes.bits[c]) - 1);
    out[i] = static_cast<T>(classes.base[c] + offset);
    stream.bit += classes.bits[c];
  }
}

#if HWY_TARGET != HWY_SCALAR

template <class D32>
HWY_INLINE void StoreAs(hn::Vec<D32> values, D32, uint32_t* out) {
  hn::StoreU(values, D32(), out);
}
template <class D32>
HWY_INLINE void StoreAs(hn::Vec<D32> values, D32, uint16_t* out) {
  const hn::Rebind<uint16_t, D32> narrow;
  hn::StoreU(hn::TruncateTo(narrow, values), narrow, out);
}
template <class D64>
HWY_INLINE void StoreAs(hn::Vec<D64> values, D64, uint64_t* out) {
  hn::StoreU(values, D64(), out);
}

// Lanes of `Lane` from bytes.
template <class D>
HWY_INLINE hn::Vec<D> FromBytes(D d, const uint8_t* bytes) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, D>(), bytes));
  } else {
    const hn::Rebind<uint32_t, D> d32;
    return hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(hn::Rebind<uint8_t, D>(), bytes)));
  }
}

// Whether a table of eight entries fits a vector.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
template <class D>
constexpr bool kTableInVector = hn::MaxLanes(D()) == 8;
#else
template <class D>
constexpr bool kTableInVector = false;
#endif

// table[index] of eight entries.
template <class D>
HWY_INLINE hn::Vec<D> LookUp(D d, const hn::TFromD<D>* table, hn::Vec<D> index) {
  if constexpr (kTableInVector<D>) {
    return hn::TableLookupLanes(hn::Load(d, table), hn::IndicesFromVec(d, index));
  } else {
    return hn::GatherIndex(d, table, hn::BitCast(hn::RebindToSigned<D>(), index));
  }
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
constexpr size_t kBlocks = 2;  // Of 16 bytes, in a vector.
#else
constexpr size_t kBlocks = 1;
#endif

// The 16 bytes at at[0], and those at at[1].
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const uint8_t* const* at) {
  const hn::Repartition<uint8_t, D> d8;
  if constexpr (kBlocks == 1) {
    return hn::BitCast(d, hn::LoadU(d8, at[0]));
  } else {
    const hn::Half<decltype(d8)> half;
    return hn::BitCast(d, hn::Combine(d8, hn::LoadU(half, at[1]), hn::LoadU(half, at[0])));
  }
}

// `Lane` uint32_t for offsets up to 24 bits, uint64_t for up to 56: the offsets of a block's lanes
// lie in 16 bytes, wherever in the first of these they start. Returns how many were done;
// stream.bit moves on.
template <typename Lane, typename T>
HWY_INLINE size_t JoinVectors(const SkewedClasses& classes, const uint8_t* selectors, size_t count,
                              BitStream* stream, T* HWY_RESTRICT out) {
  // The sum of a group's widths fits a byte.
  constexpr size_t kGroup = sizeof(Lane) == 4 ? 8 : 4;
  constexpr size_t kPerBlock = 16 / sizeof(Lane);
  constexpr size_t kLanes = kBlocks * kPerBlock;
  const hn::FixedTag<Lane, kLanes> d;
  const hn::Repartition<uint8_t, decltype(d)> d_bytes;
  const hn::FixedTag<uint8_t, 16> d8;
  HWY_ALIGN Lane bases[16] = {};
  HWY_ALIGN Lane masks[16] = {};
  HWY_ALIGN uint8_t widths_of[16] = {};
  for (size_t c = 0; c < classes.count; ++c) {
    bases[c] = static_cast<Lane>(classes.base[c]);
    masks[c] = static_cast<Lane>((uint64_t{1} << classes.bits[c]) - 1);
    widths_of[c] = classes.bits[c];
  }
  // Each lane's lowest byte in all of it; and the bytes that follow one another.
  HWY_ALIGN uint8_t lowest_of[16 * kBlocks];
  HWY_ALIGN uint8_t nexts_of[16 * kBlocks];
  for (size_t i = 0; i < 16 * kBlocks; ++i) {
    lowest_of[i] = static_cast<uint8_t>(i % 16 / sizeof(Lane) * sizeof(Lane));
    nexts_of[i] = static_cast<uint8_t>(i % sizeof(Lane));
  }
  const auto lowest = hn::Load(d_bytes, lowest_of);
  const auto nexts = hn::Load(d_bytes, nexts_of);
  const auto width_table = hn::Load(d8, widths_of);
  const auto one = hn::Set(d, Lane{1});
  const auto seven = hn::Set(d, Lane{7});
  const uint64_t kOnes = 0x0101010101010101ULL;
  uint64_t bit = stream->bit;
  size_t i = 0;
  // The offsets of a group take less than 32 bytes; a load reads 16.
  for (; i + 16 <= count && (bit >> 3) + 16 / kGroup * 32 + 16 <= stream->size; i += 16) {
    HWY_ALIGN uint8_t widths[16];
    hn::Store(hn::TableLookupBytes(width_table, hn::LoadU(d8, selectors + i)), d8, widths);
    for (size_t group = 0; group < 16; group += kGroup) {
      uint64_t packed = 0;
      std::memcpy(&packed, widths + group, kGroup);
      const uint64_t ends = packed * kOnes;
      const uint64_t starts_packed = ends << 8;
      uint8_t starts[8];
      std::memcpy(starts, &starts_packed, 8);
      const uint8_t* HWY_RESTRICT bytes = stream->bytes + (bit >> 3);
      const auto first = hn::Set(d, static_cast<Lane>(bit & 7));
      for (size_t j = 0; j < kGroup; j += kLanes) {
        const uint8_t* at[kBlocks];
        for (size_t k = 0; k < kBlocks; ++k)
          at[k] = bytes + (((bit & 7) + starts[j + k * kPerBlock]) >> 3);
        const auto place = hn::Add(first, FromBytes(d, starts + j));
        const auto byte = hn::ShiftRight<3>(place);
        const auto in_block = hn::BitCast(d_bytes, hn::Sub(byte, hn::Broadcast<0>(byte)));
        const auto taken = hn::Add(hn::TableLookupBytes(in_block, lowest), nexts);
        const auto word = hn::TableLookupBytes(LoadBlocks(d, at), hn::BitCast(d, taken));
        const auto selector = FromBytes(d, selectors + i + group + j);
        const auto shifted = hn::Shr(word, hn::And(place, seven));
        hn::Vec<decltype(d)> mask;
        if constexpr (kTableInVector<decltype(d)>) {
          mask = LookUp(d, masks, selector);
        } else {
          mask = hn::Sub(hn::Shl(one, FromBytes(d, widths + group + j)), one);
        }
        const auto offset = hn::And(shifted, mask);
        StoreAs(hn::Add(LookUp(d, bases, selector), offset), d, out + i + group + j);
      }
      bit += (ends >> (8 * kGroup - 8)) & 0xFF;
    }
  }
  stream->bit = bit;
  return i;
}

#endif  // HWY_TARGET != HWY_SCALAR

template <typename T>
void JoinInto(const SkewedClasses& classes, const uint8_t* selectors, size_t count,
              const uint64_t* words, size_t num_words, T* out) {
  BitStream stream = {reinterpret_cast<const uint8_t*>(words), num_words * 8, 0};
  size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 8) {
    done = JoinVectors<uint64_t>(classes, selectors, count, &stream, out);
  } else if constexpr (sizeof(T) > 1) {
    done = JoinVectors<uint32_t>(classes, selectors, count, &stream, out);
  }
#endif
  JoinOneByOne(classes, selectors + done, count - done, stream, out + done);
}

void JoinSkewedKernel(const SkewedClasses& classes, const uint8_t* selectors, size_t count,
                      const uint64_t* words, size_t num_words, size_t width, std::byte* dst) {
  VisitWidth(width, [&](auto zero) HWY_ATTR {
    JoinInto(classes, selectors, count, words, num_words, reinterpret_cast<decltype(zero)*>(dst));
  });
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
