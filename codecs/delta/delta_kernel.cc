// Delta kernels; see delta_kernel-inl.h.
#include "dsi/codecs/delta/delta_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/delta/delta_kernel.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/delta/delta_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(DifferencesOfWidth);
HWY_EXPORT(SumsOfWidth);

void ZigZagDifferences(const std::byte* values, size_t count, size_t width,
                       std::byte* differences) {
  HWY_DYNAMIC_DISPATCH(DifferencesOfWidth)(values, count, width, differences);
}

uint64_t SumZigZag(const std::byte* coded, size_t count, size_t width, uint64_t before,
                   std::byte* out) {
  return HWY_DYNAMIC_DISPATCH(SumsOfWidth)(coded, count, width, before, out);
}

}  // namespace dsi::internal
#endif
