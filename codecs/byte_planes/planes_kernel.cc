// Byte plane kernels; see planes_kernel-inl.h.
#include "dsi/codecs/byte_planes/planes_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/byte_planes/planes_kernel.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/byte_planes/planes_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(JoinPlanesOfWidth);

void JoinPlanes(const uint8_t* const* planes, size_t count, size_t width, std::byte* dst) {
  HWY_DYNAMIC_DISPATCH(JoinPlanesOfWidth)(planes, count, width, dst);
}

}  // namespace dsi::internal
#endif
