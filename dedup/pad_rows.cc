// Padded rows from a pool of values. Included once per Highway target.
//
// Every store is a whole vector, at increasing addresses; what a row writes past its end, the row
// after it overwrites. Near the end of the output, and where a load would pass the end of the pool,
// bytes are copied exactly. Rows are handled as bytes: one kernel serves all widths.

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/dedup/pad_scalars_internal.h"

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/pad_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#ifndef DSI_DEDUP_PAD_ROWS_ONCE
#define DSI_DEDUP_PAD_ROWS_ONCE
namespace dsi::internal {
namespace {

// What the kernels need of a ValuePool and PadOptions, in bytes.
struct PadJob {
  const uint8_t* values = nullptr;
  const uint8_t* values_end = nullptr;
  const uint64_t* starts = nullptr;
  const uint32_t* lengths = nullptr;
  const uint8_t* is_present = nullptr;
  const uint32_t* slots = nullptr;  // nullptr: unique rows from first_slot on.
  size_t first_slot = 0;
  bool is_scattered = false;  // Slots that follow each other lie far apart.
  size_t num_rows = 0;
  size_t width = 8;
  size_t row_length = 0;
  bool keep_last = false;
  uint64_t pad_bits = 0;
  uint8_t* out = nullptr;
  int32_t* kept = nullptr;     // Per row; nullptr: nobody asks.
  uint8_t* present = nullptr;  // The same.
};

// Rows are found block by block, one block ahead of those that are written.
constexpr size_t kBlockRows = 32;
constexpr size_t kLine = 64;
constexpr size_t kLinesAhead = 2;  // The CPU sees by itself that there are more.
constexpr size_t kPlacesAhead = 64;
struct FoundRows {
  const uint8_t* from[kBlockRows];  // Their kept values …
  size_t size[kBlockRows];          // … in bytes.
};

// The pad value as eight bytes that repeat it.
inline uint64_t RepeatPad(uint64_t bits, size_t width) {
  switch (width) {
    case 1:
      return (bits & 0xFF) * 0x0101010101010101ULL;
    case 2:
      return (bits & 0xFFFF) * 0x0001000100010001ULL;
    case 4:
      return (bits & 0xFFFFFFFF) * 0x0000000100000001ULL;
    default:
      return bits;
  }
}

inline void FillExactly(uint8_t* out, size_t size, uint64_t pattern) {
  for (; size >= 8; size -= 8, out += 8) std::memcpy(out, &pattern, 8);
  std::memcpy(out, &pattern, size);
}

}  // namespace
}  // namespace dsi::internal
#endif  // DSI_DEDUP_PAD_ROWS_ONCE

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D8 = hn::ScalableTag<uint8_t>;

// Finds up to kBlockRows rows from `first` on: where their values are, which are asked for ahead,
// how many stay, and whether they are there at all. Returns their entries before the cut.
HWY_INLINE uint64_t FindRows(const PadJob& job, size_t first, size_t count, FoundRows* found) {
  constexpr uint8_t kIsPresent = 1;
  const size_t most = job.row_length;
  const size_t skip = job.keep_last ? SIZE_MAX : 0;
  const size_t lines = std::min<size_t>((most * job.width + kLine - 1) / kLine, kLinesAhead);
  uint64_t entries = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t row = first + i;
    const size_t slot = job.slots != nullptr ? job.slots[row] : job.first_slot + row;
    const size_t length = job.lengths[slot];
    const size_t kept = std::min(length, most);
    entries += length;
    const uint8_t* const from =
        job.values + (job.starts[slot] + ((length - kept) & skip)) * job.width;
    if (job.is_scattered) {
      const size_t far = job.slots[std::min(row + kPlacesAhead, job.num_rows - 1)];
      hwy::Prefetch(job.starts + far);
      hwy::Prefetch(job.lengths + far);
      for (size_t line = 0; line < lines; ++line) hwy::Prefetch(from + line * kLine);
    }
    found->from[i] = from;
    found->size[i] = kept * job.width;
    if (job.kept != nullptr) job.kept[row] = static_cast<int32_t>(kept);
    if (job.present != nullptr) {
      // A row with entries is there: what is seldom asked need not be in a cache.
      job.present[row] = *(length != 0 ? &kIsPresent : job.is_present + slot);
    }
  }
  return entries;
}

// One row with exact stores, for the places where whole vectors would pass an end.
template <bool kPadLeft>
HWY_INLINE void PadExactly(const uint8_t* from, size_t size, size_t row_bytes, uint64_t pattern,
                           uint8_t* out) {
  const size_t pad_bytes = row_bytes - size;
  if (kPadLeft) FillExactly(out, pad_bytes, pattern);
  if (size != 0) std::memcpy(out + (kPadLeft ? pad_bytes : 0), from, size);
  if (!kPadLeft) FillExactly(out + size, pad_bytes, pattern);
}

#if HWY_TARGET != HWY_SCALAR

// `kVectors` vectors of a row: of the `border` first bytes of it, and of the rest, one part is
// padding and the other the values. No branch depends on a row's length.
template <size_t kVectors, bool kPadLeft, class V>
HWY_INLINE void BlendVectors(V pad, const uint8_t* from, size_t border, uint8_t* out) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  const size_t here = std::min(border, n);
  const auto first = hn::FirstN(d, here);
  const auto loaded = hn::LoadU(d, from);
  hn::StoreU(kPadLeft ? hn::IfThenElse(first, pad, loaded) : hn::IfThenElse(first, loaded, pad), d,
             out);
  if constexpr (kVectors > 1)
    BlendVectors<kVectors - 1, kPadLeft>(pad, from + n, border - here, out + n);
}

// kVectors of a row; 0: any number.
template <size_t kVectors, bool kPadLeft>
uint64_t PadRowsOf(const PadJob& given) {
  const PadJob job = given;  // Bytes that are written might change the other.
  const D8 d;
  const hn::Repartition<uint64_t, D8> d64;
  const size_t n = hn::Lanes(d);
  const uint64_t pattern = RepeatPad(job.pad_bits, job.width);
  const auto pad = hn::BitCast(d, hn::Set(d64, pattern));
  const size_t row_bytes = job.row_length * job.width;
  const size_t vectors = kVectors != 0 ? kVectors : (row_bytes + n - 1) / n;
  const size_t whole = vectors * n;
  const size_t total = job.num_rows * row_bytes;
  // Rows after which there is still room for what a row writes past its end.
  const size_t roomy = row_bytes == 0 || total < whole ? 0 : (total - whole) / row_bytes + 1;
  FoundRows blocks[2];
  FoundRows* now = &blocks[0];
  FoundRows* next = &blocks[1];
  uint64_t entries = FindRows(job, 0, std::min(kBlockRows, job.num_rows), next);
  uint8_t* out = job.out;
  for (size_t first = 0; first < job.num_rows; first += kBlockRows) {
    std::swap(now, next);
    const size_t end = std::min(first + kBlockRows, job.num_rows);
    entries += FindRows(job, end, std::min(kBlockRows, job.num_rows - end), next);
    for (size_t row = first; row < end; ++row, out += row_bytes) {
      const uint8_t* from = now->from[row - first];
      const size_t size = now->size[row - first];
      const size_t before =
          kPadLeft ? row_bytes - size : 0;  // Bytes loaded in front of the values.
      if (HWY_UNLIKELY(row >= roomy || static_cast<size_t>(from - job.values) < before ||
                       static_cast<size_t>(job.values_end - from) + before < whole)) {
        PadExactly<kPadLeft>(from, size, row_bytes, pattern, out);
        continue;
      }
      from -= before;
      size_t border = kPadLeft ? before : size;
      if constexpr (kVectors != 0) {
        BlendVectors<kVectors, kPadLeft>(pad, from, border, out);
      } else {
        size_t at = 0;
        for (; at + 4 * n <= whole; at += 4 * n) {
          BlendVectors<4, kPadLeft>(pad, from + at, border, out + at);
          border -= std::min(border, 4 * n);
        }
        for (; at < whole; at += n) {
          BlendVectors<1, kPadLeft>(pad, from + at, border, out + at);
          border -= std::min(border, n);
        }
      }
    }
  }
  return entries;
}

template <bool kPadLeft>
uint64_t PadRowsKernel(const PadJob& job) {
  const size_t n = hn::Lanes(D8());
  switch ((job.row_length * job.width + n - 1) / n) {
    case 1:
      return PadRowsOf<1, kPadLeft>(job);
    case 2:
      return PadRowsOf<2, kPadLeft>(job);
    case 3:
      return PadRowsOf<3, kPadLeft>(job);
    case 4:
      return PadRowsOf<4, kPadLeft>(job);
    case 7:
      return PadRowsOf<7, kPadLeft>(job);
    default:
      return PadRowsOf<0, kPadLeft>(job);
  }
}

#else  // Vectors of one byte: every row exactly.

template <bool kPadLeft>
uint64_t PadRowsKernel(const PadJob& job) {
  const uint64_t pattern = RepeatPad(job.pad_bits, job.width);
  const size_t row_bytes = job.row_length * job.width;
  uint64_t entries = 0;
  FoundRows found;
  for (size_t first = 0; first < job.num_rows; first += kBlockRows) {
    const size_t count = std::min(kBlockRows, job.num_rows - first);
    entries += FindRows(job, first, count, &found);
    for (size_t i = 0; i < count; ++i)
      PadExactly<kPadLeft>(found.from[i], found.size[i], row_bytes, pattern,
                           job.out + (first + i) * row_bytes);
  }
  return entries;
}

#endif  // HWY_TARGET != HWY_SCALAR

uint64_t PadRight(const PadJob& job) { return PadRowsKernel<false>(job); }
uint64_t PadLeft(const PadJob& job) { return PadRowsKernel<true>(job); }

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
namespace {

HWY_EXPORT(PadRight);
HWY_EXPORT(PadLeft);

PadJob JobOf(const ValuePool& pool, const PadOptions& options, const PaddedRows& out) {
  PadJob job;
  job.width = static_cast<size_t>(pool.width);
  job.values = reinterpret_cast<const uint8_t*>(pool.values);
  job.values_end = job.values + pool.num_values * job.width;
  job.starts = pool.starts;
  job.lengths = pool.lengths;
  job.is_present = pool.present;
  job.row_length = options.row_length;
  job.keep_last = options.keep_last;
  job.pad_bits = options.pad_bits;
  job.out = reinterpret_cast<uint8_t*>(out.values);
  job.kept = out.kept;
  job.present = out.present;
  return job;
}

uint64_t Dispatch(const PadJob& job, bool pad_left) {
  if (job.num_rows == 0) return 0;
  return pad_left ? HWY_DYNAMIC_DISPATCH(PadLeft)(job) : HWY_DYNAMIC_DISPATCH(PadRight)(job);
}

}  // namespace

uint64_t PadRows(const ValuePool& pool, std::span<const uint32_t> slots, const PadOptions& options,
                 const PaddedRows& out) {
  // Those of rows that repeat their neighbours ascend without gaps.
  const bool is_scattered = !slots.empty() && slots.back() - slots.front() >= slots.size();
  if (options.row_length == 1 && !is_scattered && !slots.empty())
    return PadScalars(pool, slots.data(), 0, slots.size(), options, out);
  PadJob job = JobOf(pool, options, out);
  job.slots = slots.data();
  job.num_rows = slots.size();
  job.is_scattered = is_scattered;
  return Dispatch(job, options.pad_left);
}

uint64_t PadRowRange(const ValuePool& pool, uint32_t first, size_t count, const PadOptions& options,
                     const PaddedRows& out) {
  if (options.row_length == 1) return PadScalars(pool, nullptr, first, count, options, out);
  PadJob job = JobOf(pool, options, out);
  job.first_slot = first;
  job.num_rows = count;
  return Dispatch(job, options.pad_left);
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
