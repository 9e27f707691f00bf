// Unpack kernels for values of 2 bytes; see unpack_kernel-inl.h.
#include "dsi/codecs/packed/unpack_tables_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/packed/unpack_u16.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/packed/unpack_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
const UnpackBlockFn* UnpackTableU16() { return UnpackTableOf<uint16_t>(); }
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
HWY_EXPORT(UnpackTableU16);
const UnpackBlockFn* BestUnpackTableU16() { return HWY_DYNAMIC_DISPATCH(UnpackTableU16)(); }
}  // namespace dsi::internal
#endif
