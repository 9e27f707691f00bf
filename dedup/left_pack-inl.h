// The marked lanes of a vector moved to its front. Included once per Highway target.
//
// Highway's Compress does this, but before 1.1 its tables were no statics: GCC puts 1 KiB on the
// stack for every vector of AVX2, which takes ten times as long as the rest of a kernel.

#if defined(DSI_DEDUP_LEFT_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_DEDUP_LEFT_PACK_INL_H_
#undef DSI_DEDUP_LEFT_PACK_INL_H_
#else
#define DSI_DEDUP_LEFT_PACK_INL_H_
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {

// Of each set of up to eight lanes their numbers, ascending: a byte each, the rest 0.
inline constexpr std::array<uint64_t, 256> kMarkedLanes = [] {
  std::array<uint64_t, 256> lanes = {};
  for (unsigned marks = 0; marks < 256; ++marks) {
    int shift = 0;
    for (uint64_t lane = 0; lane < 8; ++lane) {
      if ((marks >> lane & 1) == 0) continue;
      lanes[marks] |= lane << shift;
      shift += 8;
    }
  }
  return lanes;
}();

// Stores a whole vector, the marked lanes of 32 bits in front; returns how many they are.
template <class D>
HWY_INLINE size_t StoreMarked(D d, hwy::HWY_NAMESPACE::Vec<D> v, hwy::HWY_NAMESPACE::Mask<D> marked,
                              hwy::HWY_NAMESPACE::TFromD<D>* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  static_assert(sizeof(hn::TFromD<D>) == 4);
#if HWY_TARGET <= HWY_AVX3 || HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
  hn::StoreU(hn::Compress(v, marked), d, to);
  return hn::CountTrue(d, marked);
#else
  static_assert(hn::MaxLanes(d) <= 8);
  const hn::Rebind<uint8_t, D> d8;
  const hn::Rebind<uint32_t, D> d32;
  uint8_t marks[8];  // As many as Highway asks for.
  hn::StoreMaskBits(d, marked, marks);
  const auto* lanes = reinterpret_cast<const uint8_t*>(&kMarkedLanes[marks[0]]);
  const auto indices = hn::IndicesFromVec(d, hn::PromoteTo(d32, hn::LoadU(d8, lanes)));
  hn::StoreU(hn::TableLookupLanes(v, indices), d, to);
  return static_cast<size_t>(std::popcount(marks[0]));
#endif
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DSI_DEDUP_LEFT_PACK_INL_H_
