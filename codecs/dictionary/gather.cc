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
HWY_EXPORT(GatherOrNextOfWidths);
HWY_EXPORT(LargestOfWidth);
HWY_EXPORT(CountOfWidth);

uint32_t LargestCode(const std::byte* codes, size_t code_width, size_t count) {
  return HWY_DYNAMIC_DISPATCH(LargestOfWidth)(codes, code_width, count);
}

void Gather(const void* entries, size_t width, const std::byte* codes, size_t code_width,
            size_t count, std::byte* out) {
  HWY_DYNAMIC_DISPATCH(GatherOfWidths)(entries, width, codes, code_width, count, out);
}

size_t CountCode(const std::byte* codes, size_t code_width, size_t count, uint32_t sought) {
  return HWY_DYNAMIC_DISPATCH(CountOfWidth)(codes, code_width, count, sought);
}

void GatherOrNext(const void* entries, const void* literals, size_t num_literals, size_t width,
                  const std::byte* codes, size_t code_width, uint32_t literal, size_t count,
                  std::byte* out) {
  HWY_DYNAMIC_DISPATCH(GatherOrNextOfWidths)
  (entries, literals, num_literals, width, codes, code_width, literal, count, out);
}

}  // namespace dsi::internal
#endif
