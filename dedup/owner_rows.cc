// Rows from their owners. Included once per Highway target.

#include "dsi/dedup/owner_rows_internal.h"

#include <algorithm>

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/owner_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

uint32_t GreatestOf(const uint32_t* codes, size_t count) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  auto greatest = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) greatest = hn::Max(greatest, hn::LoadU(d, codes + i));
  uint32_t all = hn::GetLane(hn::MaxOfLanes(d, greatest));
  for (; i < count; ++i) all = std::max(all, codes[i]);
  return all;
}

uint32_t BitsOf(const uint32_t* codes, size_t count) {
  uint32_t bits = 0;
  for (size_t i = 0; i < count; ++i) bits |= codes[i];
  return bits;
}

// Of each row the value of its owner, added to what is there or in its place.
template <bool kAdd>
HWY_INLINE void OfOwners(const uint32_t* codes, const uint32_t* owners, size_t count,
                         uint32_t* out) {
  size_t i = 0;
#if HWY_TARGET <= HWY_AVX3
  // Elsewhere a CPU gathers no faster than it loads one by one.
  const hn::ScalableTag<int32_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto* const from = reinterpret_cast<const int32_t*>(codes);
  for (; i + lanes <= count; i += lanes) {
    auto value =
        hn::GatherIndex(d, from, hn::LoadU(d, reinterpret_cast<const int32_t*>(owners + i)));
    auto* const to = reinterpret_cast<int32_t*>(out + i);
    if constexpr (kAdd) value = hn::Add(value, hn::LoadU(d, to));
    hn::StoreU(value, d, to);
  }
#endif
  for (; i < count; ++i) out[i] = codes[owners[i]] + (kAdd ? out[i] : 0);
}

void TakeOf(const uint32_t* codes, const uint32_t* owners, size_t count, uint32_t* out) {
  OfOwners<false>(codes, owners, count, out);
}

void AddOf(const uint32_t* starts, const uint32_t* owners, size_t count, uint32_t* rows) {
  OfOwners<true>(starts, owners, count, rows);
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(GreatestOf);
HWY_EXPORT(BitsOf);
HWY_EXPORT(TakeOf);
HWY_EXPORT(AddOf);

uint32_t GreatestCode(std::span<const uint32_t> codes) {
  return HWY_DYNAMIC_DISPATCH(GreatestOf)(codes.data(), codes.size());
}

uint32_t BitsOfCodes(std::span<const uint32_t> codes) {
  return HWY_DYNAMIC_DISPATCH(BitsOf)(codes.data(), codes.size());
}

void TakeOfOwners(std::span<const uint32_t> codes, std::span<const uint32_t> owners,
                  uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(TakeOf)(codes.data(), owners.data(), owners.size(), out);
}

void AddOfOwners(std::span<const uint32_t> starts, std::span<const uint32_t> owners,
                 uint32_t* rows) {
  HWY_DYNAMIC_DISPATCH(AddOf)(starts.data(), owners.data(), owners.size(), rows);
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
