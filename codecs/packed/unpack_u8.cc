// Unpack kernels for values of 1 byte; see unpack_kernel-inl.h.
#include "dsi/codecs/packed/unpack_tables_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/packed/unpack_u8.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/packed/unpack_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
const UnpackBlockFn* UnpackTableU8() { return UnpackTableOf<uint8_t>(); }
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
HWY_EXPORT(UnpackTableU8);
const UnpackBlockFn* BestUnpackTableU8() { return HWY_DYNAMIC_DISPATCH(UnpackTableU8)(); }
}  // namespace dsi::internal
#endif
