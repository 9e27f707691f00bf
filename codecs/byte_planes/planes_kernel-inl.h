// Puts byte planes together (E-090). Included once per SIMD target by planes_kernel.cc.

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
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kPlaneBlock = 1024;

HWY_INLINE void JoinTwo(const uint8_t* HWY_RESTRICT low, const uint8_t* HWY_RESTRICT high,
                        size_t count, uint16_t* HWY_RESTRICT out) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::ScalableTag<uint8_t> d;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreInterleaved2(hn::LoadU(d, low + i), hn::LoadU(d, high + i), d,
                          reinterpret_cast<uint8_t*>(out + i));
  }
#endif
  for (; i < count; ++i) out[i] = static_cast<uint16_t>(low[i] | high[i] << 8);
}

// Four parts of a quarter of the width each.
template <typename Part, typename Whole>
HWY_INLINE void JoinFour(const Part* HWY_RESTRICT a, const Part* HWY_RESTRICT b,
                         const Part* HWY_RESTRICT c, const Part* HWY_RESTRICT e, size_t count,
                         Whole* HWY_RESTRICT out) {
  constexpr int kShift = 8 * sizeof(Part);
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::ScalableTag<Part> d;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreInterleaved4(hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i),
                          hn::LoadU(d, e + i), d, reinterpret_cast<Part*>(out + i));
  }
#endif
  for (; i < count; ++i) {
    out[i] = static_cast<Whole>(a[i]) | static_cast<Whole>(b[i]) << kShift |
             static_cast<Whole>(c[i]) << (2 * kShift) | static_cast<Whole>(e[i]) << (3 * kShift);
  }
}

void JoinPlanesOfWidth(const uint8_t* const* planes, size_t count, size_t width, std::byte* dst) {
  if (width == 2) return JoinTwo(planes[0], planes[1], count, reinterpret_cast<uint16_t*>(dst));
  if (width == 4) {
    return JoinFour(planes[0], planes[1], planes[2], planes[3], count,
                    reinterpret_cast<uint32_t*>(dst));
  }
  // Pairs of planes first, which stay in the first-level cache.
  uint16_t pairs[4][kPlaneBlock];
  for (size_t at = 0; at < count; at += kPlaneBlock) {
    const size_t n = count - at < kPlaneBlock ? count - at : kPlaneBlock;
    for (size_t k = 0; k < 4; ++k) JoinTwo(planes[2 * k] + at, planes[2 * k + 1] + at, n, pairs[k]);
    JoinFour(pairs[0], pairs[1], pairs[2], pairs[3], n, reinterpret_cast<uint64_t*>(dst) + at);
  }
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
