// Decimal kernels; see decimal_kernel-inl.h.
#include "dsi/codecs/decimal/decimal_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/decimal/decimal_kernel.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/decimal/decimal_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(JoinOfWidths);

bool JoinDecimal(const DecimalParts& parts, size_t count, size_t width, std::byte* dst) {
  return HWY_DYNAMIC_DISPATCH(JoinOfWidths)(parts, count, width, dst);
}

}  // namespace dsi::internal
#endif
