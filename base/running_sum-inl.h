// Running sums over vectors: what turns differences into values and lengths into offsets. Included
// once per SIMD target by kernels of codecs/ and dedup/, which may not include each other.

#if defined(DSI_FORMAT_RUNNING_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_FORMAT_RUNNING_SUM_INL_H_
#undef DSI_FORMAT_RUNNING_SUM_INL_H_
#else
#define DSI_FORMAT_RUNNING_SUM_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

// The fallback adds one value after another: with emulated vectors all the shuffling is for
// nothing.
#undef DSI_VECTOR_RUNNING_SUM
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define DSI_VECTOR_RUNNING_SUM 0
#else
#define DSI_VECTOR_RUNNING_SUM 1
#endif

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if DSI_VECTOR_RUNNING_SUM

// Only lanes of 4 and 8 bytes can be moved between blocks of 128 bits on every target; narrower
// ones get vectors of one block.
template <typename T>
using SumTag = hn::CappedTag<T, (sizeof(T) >= 4 ? 64 : 16) / sizeof(T)>;

// Every lane plus all before it in its block of 128 bits, by steps that double in length.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V SumInBlocks(D d, V v) {
  constexpr size_t kSize = sizeof(hn::TFromD<D>);
  v = hn::Add(v, hn::ShiftLeftLanes<1>(d, v));
  if constexpr (kSize <= 4) v = hn::Add(v, hn::ShiftLeftLanes<2>(d, v));
  if constexpr (kSize <= 2) v = hn::Add(v, hn::ShiftLeftLanes<4>(d, v));
  if constexpr (kSize == 1) v = hn::Add(v, hn::ShiftLeftLanes<8>(d, v));
  return v;
}

// Calls store(i, sums) for the vectors at i = 0, Lanes, …, where sums are those of `start` and all
// lanes of load(0) … load(i) up to each lane; as many whole vectors as fit `count`. Returns the
// last sum. Sums wrap around. Only one addition per vector waits for the vector before.
template <typename T, class Load, class Store>
HWY_INLINE T SumWholeVectors(size_t count, T start, const Load& load, const Store& store) {
  const SumTag<T> d;
  const size_t lanes = hn::Lanes(d);
  auto carry = hn::Set(d, start);
  if constexpr (sizeof(T) < 4) {
    const hn::Repartition<uint8_t, decltype(d)> d8;
    const hn::Repartition<uint16_t, decltype(d)> d16;
    // Byte 15, or bytes 14 and 15, for every lane.
    const auto last = hn::BitCast(d8, hn::Set(d16, sizeof(T) == 1 ? 0x0F0F : 0x0F0E));
    for (size_t i = 0; i + lanes <= count; i += lanes) {
      const auto v = SumInBlocks(d, load(i));
      store(i, hn::Add(v, carry));
      carry = hn::Add(carry, hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(d8, v), last)));
    }
  } else {
    using Index = hn::TFromD<hn::RebindToSigned<SumTag<T>>>;
    constexpr size_t kBlock = 16 / sizeof(T);
    // For lanes of every second block the last lane of the block before; for lanes of the upper two
    // of four blocks the last lane of the lower two.
    HWY_ALIGN Index from_first[64 / sizeof(T)] = {};
    HWY_ALIGN Index from_lower[64 / sizeof(T)] = {};
    HWY_ALIGN Index from_last[64 / sizeof(T)];
    HWY_ALIGN T is_second[64 / sizeof(T)] = {};
    HWY_ALIGN T is_upper[64 / sizeof(T)] = {};
    for (size_t i = 0; i < lanes; ++i) {
      from_last[i] = static_cast<Index>(lanes - 1);
      const size_t block = i / kBlock;
      if ((block & 1) != 0) {
        from_first[i] = static_cast<Index>(block * kBlock - 1);
        is_second[i] = 1;
      }
      if ((block & 2) != 0) {
        from_lower[i] = static_cast<Index>(2 * kBlock - 1);
        is_upper[i] = 1;
      }
    }
    const auto first = hn::SetTableIndices(d, from_first);
    const auto lower = hn::SetTableIndices(d, from_lower);
    const auto last = hn::SetTableIndices(d, from_last);
    const auto second_blocks = hn::Ne(hn::Load(d, is_second), hn::Zero(d));
    const auto upper_blocks = hn::Ne(hn::Load(d, is_upper), hn::Zero(d));
    for (size_t i = 0; i + lanes <= count; i += lanes) {
      auto v = SumInBlocks(d, load(i));
      if constexpr (HWY_MAX_BYTES > 16)
        v = hn::Add(v, hn::IfThenElseZero(second_blocks, hn::TableLookupLanes(v, first)));
      if constexpr (HWY_MAX_BYTES > 32)
        v = hn::Add(v, hn::IfThenElseZero(upper_blocks, hn::TableLookupLanes(v, lower)));
      const auto sums = hn::Add(v, carry);
      store(i, sums);
      carry = hn::TableLookupLanes(sums, last);
    }
  }
  return hn::GetLane(carry);
}

#endif

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
