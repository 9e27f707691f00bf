// Kernels of skewed numbers; see skewed_kernel-inl.h.
#include "dsi/codecs/simd_internal.h"
#include "dsi/codecs/skewed/skewed_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/skewed/skewed_kernel.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/skewed/skewed_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(SumOfBitsKernel);
HWY_EXPORT(JoinSkewedKernel);

uint64_t SumOfBits(const SkewedClasses& classes, const uint8_t* selectors, size_t count) {
  return HWY_DYNAMIC_DISPATCH(SumOfBitsKernel)(classes, selectors, count);
}

void JoinSkewed(const SkewedClasses& classes, const uint8_t* selectors, size_t count,
                const uint64_t* words, size_t num_words, size_t width, std::byte* dst) {
  HWY_DYNAMIC_DISPATCH(JoinSkewedKernel)
  (classes, selectors, count, words, num_words, width, dst);
}

}  // namespace dsi::internal
#endif
