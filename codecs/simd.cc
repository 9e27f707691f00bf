#include "dsi/codecs/simd_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/simd.cc"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
int64_t OwnTarget() { return HWY_TARGET; }
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(OwnTarget);

int64_t ChosenSimdTarget() { return HWY_DYNAMIC_DISPATCH(OwnTarget)(); }

std::vector<int64_t> RunnableSimdTargets() {
  ForceSimdTarget(0);
  std::vector<int64_t> targets;
  // A lower bit is a better target.
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    targets.push_back(left & -left);
  }
  // The list of what the CPU supports may leave out the fallback, which every CPU runs.
  const int64_t fallback = HWY_TARGETS & (HWY_SCALAR | HWY_EMU128);
  if (fallback != 0 && (targets.empty() || targets.back() != fallback)) targets.push_back(fallback);
  return targets;
}

const char* SimdTargetName(int64_t target) { return hwy::TargetName(target); }

void ForceSimdTarget(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace dsi::internal
#endif
