// Split kernels; see split_kernel-inl.h.
#include "dsi/codecs/simd_internal.h"
#include "dsi/codecs/split/split_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/split/split_kernel.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/split/split_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(JoinOfWidth);
HWY_EXPORT(UnionOfWidth);

void JoinSplit(const SplitParts& parts, size_t count, size_t width, std::byte* dst) {
  HWY_DYNAMIC_DISPATCH(JoinOfWidth)(parts, count, width, dst);
}

uint64_t UnionOfBits(const std::byte* values, size_t width, size_t count) {
  return HWY_DYNAMIC_DISPATCH(UnionOfWidth)(values, width, count);
}

}  // namespace dsi::internal
#endif
