// Puts byte planes together (E-090). Plain loops that the compiler vectorises, compiled once per
// SIMD target.

#if defined(DSI_CODECS_BYTE_PLANES_PLANES_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_BYTE_PLANES_PLANES_KERNEL_INL_H_
#undef DSI_CODECS_BYTE_PLANES_PLANES_KERNEL_INL_H_
#else
#define DSI_CODECS_BYTE_PLANES_PLANES_KERNEL_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {

// Pairs of planes become planes of twice the width: widening twice by two vectorises, widening by
// eight does not.
template <typename Narrow, typename Wide>
HWY_INLINE void JoinPair(const Narrow* HWY_RESTRICT low, const Narrow* HWY_RESTRICT high,
                         size_t count, Wide* HWY_RESTRICT out) {
  constexpr int kShift = 8 * sizeof(Narrow);
  for (size_t i = 0; i < count; ++i) {
    out[i] = static_cast<Wide>(static_cast<Wide>(low[i]) |
                               static_cast<Wide>(static_cast<Wide>(high[i]) << kShift));
  }
}

inline constexpr size_t kPlaneBlock = 1024;

HWY_INLINE void JoinFour(const uint8_t* const* planes, size_t at, size_t count,
                         uint32_t* HWY_RESTRICT out) {
  uint16_t low[kPlaneBlock];
  uint16_t high[kPlaneBlock];
  JoinPair(planes[0] + at, planes[1] + at, count, low);
  JoinPair(planes[2] + at, planes[3] + at, count, high);
  JoinPair(low, high, count, out);
}

void JoinPlanesOfWidth(const uint8_t* const* planes, size_t count, size_t width, std::byte* dst) {
  for (size_t at = 0; at < count; at += kPlaneBlock) {
    const size_t n = count - at < kPlaneBlock ? count - at : kPlaneBlock;
    if (width == 2) {
      JoinPair(planes[0] + at, planes[1] + at, n, reinterpret_cast<uint16_t*>(dst) + at);
    } else if (width == 4) {
      JoinFour(planes, at, n, reinterpret_cast<uint32_t*>(dst) + at);
    } else {
      uint32_t low[kPlaneBlock];
      uint32_t high[kPlaneBlock];
      JoinFour(planes, at, n, low);
      JoinFour(planes + 4, at, n, high);
      JoinPair(low, high, n, reinterpret_cast<uint64_t*>(dst) + at);
    }
  }
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
