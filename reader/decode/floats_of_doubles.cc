// Doubles to floats. Included once per Highway target.

#include "dsi/reader/decode/floats_of_doubles_internal.h"

#include <cmath>
#include <limits>

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/reader/decode/floats_of_doubles.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

bool FloatsOfDoublesKernel(const double* HWY_RESTRICT in, size_t count, float* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const auto most = hn::Set(d, double{std::numeric_limits<float>::max()});
  auto beyond = hn::MaskFromVec(hn::Zero(d));
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto values = hn::LoadU(d, in + i);
    beyond = hn::Or(beyond, hn::Gt(hn::Abs(values), most));
    hn::StoreU(hn::DemoteTo(half, values), half, out + i);
  }
  bool fit = hn::AllFalse(d, beyond);
  for (; i < count && fit; ++i) {
    fit = !(std::abs(in[i]) > std::numeric_limits<float>::max());
    if (fit) out[i] = static_cast<float>(in[i]);
  }
  return fit;
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
namespace {

HWY_EXPORT(FloatsOfDoublesKernel);

}  // namespace

bool FloatsOfDoubles(const double* in, size_t count, float* out) {
  return HWY_DYNAMIC_DISPATCH(FloatsOfDoublesKernel)(in, count, out);
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
