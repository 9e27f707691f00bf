// Unpack kernels for values of 8 bytes; see unpack_kernel-inl.h.
#include "dsi/codecs/packed/unpack_tables_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/packed/unpack_u64.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/packed/unpack_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
const UnpackBlockFn* UnpackTableU64() { return UnpackTableOf<uint64_t>(); }
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
HWY_EXPORT(UnpackTableU64);
const UnpackBlockFn* BestUnpackTableU64() { return HWY_DYNAMIC_DISPATCH(UnpackTableU64)(); }
}  // namespace dsi::internal
#endif
