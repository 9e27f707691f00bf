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
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#ifndef DSI_DEDUP_GATHER_ROWS_ONCE
#define DSI_DEDUP_GATHER_ROWS_ONCE
namespace dsi::internal {
namespace {

// Rows are found block by block, one block ahead of those that are copied.
constexpr size_t kBlockRows = 32;
struct FoundRows {
  uint64_t start[kBlockRows];
  uint64_t length[kBlockRows];
};

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

HWY_INLINE uint64_t FindRows(const GatherJob& job, size_t first, size_t count, uint64_t at,
                             FoundRows* found) {
  constexpr size_t kPlacesAhead = 64;
  constexpr size_t kLine = 64;
  constexpr size_t kLines = 2;  // The CPU sees by itself that there are more.
  constexpr uint8_t kIsPresent = 1;
  const ValuePool& pool = job.pool;
  const auto width = static_cast<size_t>(pool.width);
  for (size_t i = 0; i < count; ++i) {
    const size_t row = first + i;
    size_t slot = row;
    if (job.slots != nullptr) {
      slot = job.slots[row];
      const size_t far = job.slots[std::min(row + kPlacesAhead, job.num_rows - 1)];
      hwy::Prefetch(pool.starts + far);
      hwy::Prefetch(pool.lengths + far);
    }
    const uint64_t length = pool.lengths[slot];
    const uint64_t start = pool.starts[slot];
    const std::byte* const from = pool.values + start * width;
    for (size_t line = 0; line < kLines; ++line) hwy::Prefetch(from + line * kLine);
    found->start[i] = start;
    found->length[i] = length;
    if (job.out.offsets != nullptr) job.out.offsets[row] = static_cast<int64_t>(at);
    if (job.out.present != nullptr) {
      // A row with entries is there: what is seldom asked need not be in a cache.
      job.out.present[row] = *(length != 0 ? &kIsPresent : pool.present + slot);
    }
    at += length;
  }
  return at;
}

uint64_t GatherRowsKernel(const GatherJob job) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  const auto width = static_cast<size_t>(job.pool.width);
  const auto* const values = reinterpret_cast<const uint8_t*>(job.pool.values);
  const uint8_t* const values_end = values + job.pool.num_values * width;
  auto* out = reinterpret_cast<uint8_t*>(job.out.values);
  const uint8_t* const out_end = out + job.out.room * width;
  // So much is copied of each row whatever its length, with no branch to be guessed.
  const size_t mean = job.num_rows == 0 ? 0 : job.out.room * width / job.num_rows;
  const size_t at_once = (std::min<size_t>(mean + mean / 2, 512) + n - 1) / n * n;
  constexpr size_t kLongCopy = 1024;  // From here on memcpy's own choices beat a plain loop.
  FoundRows blocks[2];
  FoundRows* now = &blocks[0];
  FoundRows* next = &blocks[1];
  const auto base = static_cast<uint64_t>(job.out.base);
  uint64_t at = FindRows(job, 0, std::min(kBlockRows, job.num_rows), base, next);
  for (size_t first = 0; first < job.num_rows; first += kBlockRows) {
    std::swap(now, next);
    const size_t end = std::min(first + kBlockRows, job.num_rows);
    at = FindRows(job, end, std::min(kBlockRows, job.num_rows - end), at, next);
    for (size_t row = first; row < end; ++row) {
      const size_t size = now->length[row - first] * width;
      const uint8_t* const from = values + now->start[row - first] * width;
      const size_t whole = std::max(size, at_once) + n;
      if (HWY_LIKELY(size < kLongCopy && static_cast<size_t>(out_end - out) >= whole &&
                     static_cast<size_t>(values_end - from) >= whole)) {
        size_t i = 0;
        for (; i < at_once; i += n) hn::StoreU(hn::LoadU(d, from + i), d, out + i);
        for (; i < size; i += n) hn::StoreU(hn::LoadU(d, from + i), d, out + i);
      } else if (size != 0) {
        std::memcpy(out, from, size);
      }
      out += size;
    }
  }
  if (job.out.offsets != nullptr) job.out.offsets[job.num_rows] = static_cast<int64_t>(at);
  return at - base;
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
