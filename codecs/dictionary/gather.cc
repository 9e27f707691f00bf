// Gather kernels; see gather_kernel-inl.h.
#include "dsi/codecs/dictionary/gather_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/dictionary/gather.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/dictionary/gather_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(GatherOfWidths);
HWY_EXPORT(LargestOfWidth);

uint32_t LargestCode(const std::byte* codes, size_t code_width, size_t count) {
  return HWY_DYNAMIC_DISPATCH(LargestOfWidth)(codes, code_width, count);
}

void Gather(const void* entries, size_t width, const std::byte* codes, size_t code_width,
            size_t count, std::byte* out) {
  HWY_DYNAMIC_DISPATCH(GatherOfWidths)(entries, width, codes, code_width, count, out);
}

}  // namespace dsi::internal
#endif
