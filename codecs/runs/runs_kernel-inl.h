// Repeats values (E-040). Included once per SIMD target by runs_kernel.cc.

#if defined(DSI_CODECS_RUNS_RUNS_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_RUNS_RUNS_KERNEL_INL_H_
#undef DSI_CODECS_RUNS_RUNS_KERNEL_INL_H_
#else
#define DSI_CODECS_RUNS_RUNS_KERNEL_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dsi/codecs/runs/runs_internal.h"
#include "dsi/codecs/width_internal.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void ExpandRunsOf(const uint32_t* HWY_RESTRICT lengths, const std::byte* values_bytes, size_t runs,
                  std::byte* out_bytes, size_t count) {
  const auto* HWY_RESTRICT values = reinterpret_cast<const T*>(values_bytes);
  auto* HWY_RESTRICT out = reinterpret_cast<T*>(out_bytes);
  // Larger vectors would mostly straddle two cache lines.
  const hn::CappedTag<T, 32 / sizeof(T)> d;
  const size_t lanes = hn::Lanes(d);
  const size_t reach = std::max<size_t>(lanes, 8);
  size_t left = count;
  for (size_t i = 0; i < runs; ++i) {
    const size_t length = lengths[i];
    // Most runs are short: a fixed number of stores beats a loop that branches on the length. The
    // next run overwrites the excess; near the end, where there would be none, values are counted.
    if (left < length + reach) {
      std::fill_n(out, length, values[i]);
    } else {
      const auto value = hn::Set(d, values[i]);
      for (size_t k = 0; k < reach; k += lanes) hn::StoreU(value, d, out + k);
      for (size_t k = reach; k < length; k += lanes) hn::StoreU(value, d, out + k);
    }
    out += length;
    left -= length;
  }
}

// Sum and smallest of the lengths; the compiler vectorises this one. 2^32 lengths below 2^32 do not
// wrap 64 bits.
LengthsSummary SummarizeRuns(const uint32_t* HWY_RESTRICT lengths, size_t runs) {
  uint64_t sum = 0;
  uint32_t smallest = lengths[0];
  for (size_t i = 0; i < runs; ++i) {
    sum += lengths[i];
    smallest = lengths[i] < smallest ? lengths[i] : smallest;
  }
  return {sum, smallest};
}

void ExpandRunsOfWidth(const uint32_t* lengths, const std::byte* values, size_t runs, size_t width,
                       std::byte* out, size_t count) {
  return VisitWidth(width, [&](auto zero) HWY_ATTR {
    return ExpandRunsOf<decltype(zero)>(lengths, values, runs, out, count);
  });
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
