// One value per row from one value per unique row. Included once per Highway target.
//
// Rows mostly repeat the row before or go on to the next unique row, so that what a vector of rows
// needs stands in one vector of values, and is permuted there.

#include "dsi/dedup/expand_internal.h"

#include <type_traits>

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/expand_scalars.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// Values in vectors whose lanes are indexed by those of D: as they are, or widened and cut again.
template <typename T, class D>
HWY_INLINE void PermuteTo(D d, const T* from, hn::Vec<hn::Rebind<uint32_t, D>> steps, T* to) {
  using TD = hn::TFromD<D>;
  const hn::Rebind<uint32_t, D> d32;
  if constexpr (sizeof(TD) == 8) {
    const auto indices = hn::IndicesFromVec(d, hn::PromoteTo(d, steps));
    hn::StoreU(hn::TableLookupLanes(hn::LoadU(d, from), indices), d, to);
  } else if constexpr (sizeof(T) == 4) {
    hn::StoreU(hn::TableLookupLanes(hn::LoadU(d, from), hn::IndicesFromVec(d32, steps)), d, to);
  } else {
    const hn::Rebind<T, D> narrow;
    const auto wide = hn::PromoteTo(d, hn::LoadU(narrow, from));
    const auto found = hn::TableLookupLanes(wide, hn::IndicesFromVec(d32, steps));
    // Signed, as lanes are narrowed with saturation; none is beyond the type.
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(hn::Rebind<int32_t, D>(), found)), narrow, to);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

template <typename T>
void ExpandOf(const T* values, [[maybe_unused]] size_t num_values, const uint32_t* slots,
              size_t num_rows, T* out) {
  size_t row = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>> d;
  const hn::Rebind<uint32_t, decltype(d)> d32;
  const size_t lanes = hn::Lanes(d);
  const auto few = hn::Set(d32, static_cast<uint32_t>(lanes));
  for (; row + lanes <= num_rows; row += lanes) {
    const size_t first = slots[row];
    const auto steps =
        hn::Sub(hn::LoadU(d32, slots + row), hn::Set(d32, static_cast<uint32_t>(first)));
    if (HWY_LIKELY(first + lanes <= num_values && hn::AllTrue(d32, hn::Lt(steps, few)))) {
      PermuteTo(d, values + first, steps, out + row);
    } else {
      for (size_t i = row; i < row + lanes; ++i) out[i] = values[slots[i]];
    }
  }
#endif
  for (; row < num_rows; ++row) out[row] = values[slots[row]];
}

template <typename T>
void ExpandBytes(const std::byte* values, size_t num_values, const uint32_t* slots, size_t num_rows,
                 std::byte* out) {
  ExpandOf(reinterpret_cast<const T*>(values), num_values, slots, num_rows,
           reinterpret_cast<T*>(out));
}

void ExpandScalarsKernel(const std::byte* values, size_t num_values, size_t width,
                         const uint32_t* slots, size_t num_rows, std::byte* out) {
  switch (width) {
    case 1:
      return ExpandBytes<uint8_t>(values, num_values, slots, num_rows, out);
    case 2:
      return ExpandBytes<uint16_t>(values, num_values, slots, num_rows, out);
    case 4:
      return ExpandBytes<uint32_t>(values, num_values, slots, num_rows, out);
    default:
      return ExpandBytes<uint64_t>(values, num_values, slots, num_rows, out);
  }
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(ExpandScalarsKernel);

void ExpandScalars(const std::byte* values, size_t num_values, int width,
                   std::span<const uint32_t> slots, std::byte* out) {
  HWY_DYNAMIC_DISPATCH(ExpandScalarsKernel)
  (values, num_values, static_cast<size_t>(width), slots.data(), slots.size(), out);
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
