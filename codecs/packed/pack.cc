// Packing kernels; see pack_kernel-inl.h.
#include "dsi/codecs/packed/kernels_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/packed/pack.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/packed/pack_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(PackFullOfWidth);
HWY_EXPORT(RangeOfWidth);

void PackBlock(const std::byte* values, uint64_t base, int bits, size_t width, std::byte* out) {
  HWY_DYNAMIC_DISPATCH(PackFullOfWidth)(values, base, bits, width, out);
}

ValueRange MeasureRange(const std::byte* values, size_t count, size_t width) {
  return HWY_DYNAMIC_DISPATCH(RangeOfWidth)(values, count, width);
}

}  // namespace dsi::internal
#endif
