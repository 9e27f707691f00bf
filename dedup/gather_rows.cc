// Rows of a pool one after another. Included once per Highway target.
//
// Every store is a whole vector, at increasing addresses; what a row writes past its end, the row
// after it overwrites. Near the end of the output, and where a load would pass the end of the pool,
// bytes are copied exactly. Rows are handled as bytes: one kernel serves all widths.

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <cstring>
#include <utility>

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/gather_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dsi/dedup/found_rows-inl.h"
#include "dsi/dedup/wide_values-inl.h"

#ifndef DSI_DEDUP_GATHER_ROWS_ONCE
#define DSI_DEDUP_GATHER_ROWS_ONCE
namespace dsi::internal {
namespace {

struct GatherJob {
  ValuePool pool;
  const uint32_t* slots = nullptr;  // nullptr: unique rows 0, 1, 2, …
  size_t num_rows = 0;
  JaggedRows out;
};

}  // namespace
}  // namespace dsi::internal
#endif  // DSI_DEDUP_GATHER_ROWS_ONCE

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D8 = hn::ScalableTag<uint8_t>;

// Copies rows one after another, and as many bytes of each as `at_once` says whatever its size,
// with no branch to be guessed.
template <class Values>
HWY_INLINE uint8_t* CopyRows(const uint8_t* values, const FoundRows& found, size_t count,
                             size_t at_once, uint8_t* out) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* const from = values + found.start[i];
    const size_t size = found.size[i];
    size_t at = 0;
    do {
      hn::StoreU(Values::Load(d, from + (at >> Values::kNarrow)), d, out + at);
      at += n;
    } while (at < at_once);
    for (; at < size; at += n)
      hn::StoreU(Values::Load(d, from + (at >> Values::kNarrow)), d, out + at);
    out += size;
  }
  return out;
}

template <class Values>
uint64_t GatherRowsOf(const GatherJob& job) {
  constexpr int kNarrow = Values::kNarrow;
  const size_t n = hn::Lanes(D8());
  SoughtRows sought = Seek(job.pool, job.slots, job.num_rows);
  sought.present = job.out.present;
  const size_t num_rows = job.num_rows;
  const auto* const values = reinterpret_cast<const uint8_t*>(job.pool.values);
  const size_t readable = (job.pool.num_values << sought.held_bits) + job.pool.slack_bytes;
  auto* out = reinterpret_cast<uint8_t*>(job.out.values);
  const uint8_t* const out_end = out + (job.out.room << sought.width_bits);
  FoundRows blocks[2];
  FoundRows* now = &blocks[0];
  FoundRows* next = &blocks[1];
  auto at = static_cast<uint64_t>(job.out.base);
  FindRows(sought, 0, std::min(kBlockRows, num_rows), next);
  for (size_t first = 0; first < num_rows; first += kBlockRows) {
    std::swap(now, next);
    const size_t count = std::min(kBlockRows, num_rows - first);
    const size_t end = first + count;
    FindRows(sought, end, std::min(kBlockRows, num_rows - end), next);
    size_t longest = 0;
    for (size_t i = 0; i < count; ++i) longest = std::max<size_t>(longest, now->size[i]);
    if (job.out.offsets != nullptr) {
      for (size_t i = 0; i < count; ++i) {
        job.out.offsets[first + i] = static_cast<int64_t>(at);
        at += now->size[i] >> sought.width_bits;
      }
    }
    // Long rows are left to memcpy, whose own choices beat a plain loop.
    constexpr size_t kLongRow = 1024;
    const size_t mean = now->whole / count;
    const size_t at_once = std::min(longest, mean + mean / 2);
    const size_t past = longest + n;
    if (HWY_LIKELY(Values::kHasVectors && (longest < kLongRow || kNarrow != 0) &&
                   now->last_start + (past >> kNarrow) <= readable &&
                   static_cast<size_t>(out_end - out) >= now->whole + past)) {
      out = CopyRows<Values>(values, *now, count, at_once, out);
    } else {
      for (size_t i = 0; i < count; ++i) {
        Values::Copy(values + now->start[i], now->size[i], out);
        out += now->size[i];
      }
    }
  }
  if (job.out.offsets != nullptr) job.out.offsets[num_rows] = static_cast<int64_t>(at);
  return static_cast<uint64_t>(out - reinterpret_cast<uint8_t*>(job.out.values)) >>
         sought.width_bits;
}

uint64_t GatherRowsKernel(const GatherJob& job) {
  return WithValuesOf(job.pool.width, job.pool.narrow,
                      [&](auto values) { return GatherRowsOf<decltype(values)>(job); });
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
namespace {

HWY_EXPORT(GatherRowsKernel);

}  // namespace

uint64_t GatherRows(const ValuePool& pool, std::span<const uint32_t> slots, const JaggedRows& out) {
  return HWY_DYNAMIC_DISPATCH(GatherRowsKernel)({pool, slots.data(), slots.size(), out});
}

uint64_t GatherRowRange(const ValuePool& pool, size_t count, const JaggedRows& out) {
  return HWY_DYNAMIC_DISPATCH(GatherRowsKernel)({pool, nullptr, count, out});
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
