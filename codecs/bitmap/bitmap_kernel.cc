// Bitmap kernels; see bitmap_kernel-inl.h.
#include "dsi/codecs/bitmap/bitmap_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/bitmap/bitmap_kernel.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/bitmap/bitmap_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(ExpandBitsOfWidth);
HWY_EXPORT(CollectBitsOfWidth);

void ExpandBits(const std::byte* bits, size_t count, size_t width, std::byte* out) {
  HWY_DYNAMIC_DISPATCH(ExpandBitsOfWidth)(bits, count, width, out);
}

void CollectBits(const std::byte* values, size_t count, size_t width, std::byte* bits) {
  HWY_DYNAMIC_DISPATCH(CollectBitsOfWidth)(values, count, width, bits);
}

}  // namespace dsi::internal
#endif
