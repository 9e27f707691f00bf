// Runs kernel; see runs_kernel-inl.h.
#include "dsi/codecs/runs/runs_internal.h"
#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/runs/runs_kernel.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/runs/runs_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(ExpandRunsOfWidth);
HWY_EXPORT(SummarizeRuns);

void ExpandRuns(const uint32_t* lengths, const std::byte* values, size_t runs, size_t width,
                std::byte* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(ExpandRunsOfWidth)(lengths, values, runs, width, out, count);
}

LengthsSummary SummarizeLengths(const uint32_t* lengths, size_t runs) {
  return HWY_DYNAMIC_DISPATCH(SummarizeRuns)(lengths, runs);
}

}  // namespace dsi::internal
#endif
