// Padded rows from a pool of values. Included once per Highway target.
//
// Every store is a whole vector, at increasing addresses; what a row writes past its end, the row
// after it overwrites. Near the end of the output, and where a load would pass the end of the pool,
// bytes are copied exactly. Rows are handled as bytes: one kernel serves all widths.

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/dedup/pad_border_internal.h"
#include "dsi/dedup/pad_scalars_internal.h"

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/pad_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dsi/dedup/found_rows-inl.h"
#include "dsi/dedup/lines_past_cache-inl.h"
#include "dsi/dedup/wide_values-inl.h"

#ifndef DSI_DEDUP_PAD_ROWS_ONCE
#define DSI_DEDUP_PAD_ROWS_ONCE
namespace dsi::internal {
namespace {

// What the kernels need beside the pool.
struct PadJob {
  const uint32_t* slots = nullptr;  // nullptr: unique rows from first_slot on.
  size_t first_slot = 0;
  size_t num_rows = 0;
  PadOptions options;
  PaddedRows out;
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

SoughtRows SeekRows(const ValuePool& pool, const PadJob& job) {
  SoughtRows sought = Seek(pool, job.slots, job.num_rows);
  sought.first_slot = job.first_slot;
  sought.row_length = job.options.row_length;
  sought.keep_last = job.options.keep_last;
  sought.present = job.out.present;
  return sought;
}

// One row with exact stores, for the places where whole vectors would pass an end.
template <bool kPadLeft, class Values>
HWY_INLINE void PadExactly(const uint8_t* from, size_t size, size_t row_bytes, uint64_t pattern,
                           uint8_t* out) {
  const size_t pad_bytes = row_bytes - size;
  if (kPadLeft) FillExactly(out, pad_bytes, pattern);
  Values::Copy(from, size, out + (kPadLeft ? pad_bytes : 0));
  if (!kPadLeft) FillExactly(out + size, pad_bytes, pattern);
}

#if HWY_TARGET != HWY_SCALAR

// `kVectors` vectors of a row. Where `mask` is set stands one of padding and values, else the
// other. No branch depends on a row's length.
template <size_t kVectors, bool kPadLeft, class Values, class V>
HWY_INLINE void BlendVectors(V pad, const uint8_t* from, const uint8_t* mask, uint8_t* out) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  const auto first = hn::LoadU(d, mask);
  const auto loaded = Values::Load(d, from);
  hn::StoreU(
      kPadLeft ? hn::IfVecThenElse(first, pad, loaded) : hn::IfVecThenElse(first, loaded, pad), d,
      out);
  if constexpr (kVectors > 1)
    BlendVectors<kVectors - 1, kPadLeft, Values>(pad, from + (n >> Values::kNarrow), mask + n,
                                                 out + n);
}

// All vectors of a row: kVectors, or `whole` bytes of them where that is 0. Of its first `border`
// bytes and of the rest, one part is padding and the other the values.
template <size_t kVectors, bool kPadLeft, class Values, class V>
HWY_INLINE void BlendRow(V pad, const uint8_t* from, size_t border, size_t whole, uint8_t* out) {
  if constexpr (kVectors != 0) {
    return BlendVectors<kVectors, kPadLeft, Values>(pad, from, kBorder.Mask(border), out);
  }
  constexpr int kNarrow = Values::kNarrow;
  const D8 d;
  const size_t n = hn::Lanes(d);
  size_t at = 0;
  if (whole <= kMostMasked) {
    const uint8_t* const mask = kBorder.Mask(border);
    for (; at + 4 * n <= whole; at += 4 * n)
      BlendVectors<4, kPadLeft, Values>(pad, from + (at >> kNarrow), mask + at, out + at);
    for (; at < whole; at += n)
      BlendVectors<1, kPadLeft, Values>(pad, from + (at >> kNarrow), mask + at, out + at);
    return;
  }
  for (; at < whole; at += n) {
    const size_t left = std::min(border - std::min(border, at), n);
    BlendVectors<1, kPadLeft, Values>(pad, from + (at >> kNarrow), kBorder.Mask(left), out + at);
  }
}

// kVectors vectors from one place to another: all are loaded before the first is stored, as the row
// may end in the middle of what the one before has written.
template <size_t kVectors>
HWY_INLINE void CopyVectors(const uint8_t* from, uint8_t* out) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  const auto loaded = hn::LoadU(d, from);
  if constexpr (kVectors > 1) CopyVectors<kVectors - 1>(from + n, out + n);
  hn::StoreU(loaded, d, out);
}

// A finished row once more.
template <size_t kVectors>
HWY_INLINE void RepeatRow(const uint8_t* from, size_t whole, uint8_t* out) {
  if constexpr (kVectors != 0) return CopyVectors<kVectors>(from, out);
  const D8 d;
  const size_t n = hn::Lanes(d);
  const auto last = hn::LoadU(d, from + whole - n);
  size_t at = 0;
  for (; at + 5 * n <= whole; at += 4 * n) CopyVectors<4>(from + at, out + at);
  for (; at + n < whole; at += n) CopyVectors<1>(from + at, out + at);
  hn::StoreU(last, d, out + whole - n);
}

// Rows of which many repeat the one before: each is looked up once and then copied from the first
// of its like, as the one before is still on its way to the cache.
template <size_t kVectors, bool kPadLeft>
uint64_t PadRepeats(const ValuePool& pool, const PadJob& job) {
  const D8 d;
  const hn::Repartition<uint64_t, D8> d64;
  const size_t n = hn::Lanes(d);
  const auto width = static_cast<size_t>(pool.width);
  const uint64_t pattern = RepeatPad(job.options.pad_bits, width);
  const auto pad = hn::BitCast(d, hn::Set(d64, pattern));
  const size_t num_rows = job.num_rows;
  const size_t row_bytes = size_t{job.options.row_length} * width;
  const size_t whole = kVectors != 0 ? kVectors * n : (row_bytes + n - 1) / n * n;
  const size_t total = num_rows * row_bytes;
  const size_t roomy = row_bytes == 0 || total < whole ? 0 : (total - whole) / row_bytes + 1;
  const auto* const values = reinterpret_cast<const uint8_t*>(pool.values);
  const size_t readable = pool.num_values * width + pool.slack_bytes;
  const uint32_t* const slots = job.slots;
  uint64_t entries = 0;
  auto* out = reinterpret_cast<uint8_t*>(job.out.values);
  for (size_t row = 0; row < num_rows;) {
    const uint32_t slot = slots[row];
    size_t end = row + 1;
    while (end < num_rows && slots[end] == slot) ++end;
    const size_t length = pool.lengths[slot];
    const size_t kept = std::min<size_t>(length, job.options.row_length);
    const size_t size = kept * width;
    const size_t start = (pool.Start(slot) + (job.options.keep_last ? length - kept : 0)) * width;
    entries += length * (end - row);
    if (job.out.kept != nullptr)
      std::fill_n(job.out.kept + row, end - row, static_cast<int32_t>(kept));
    if (job.out.present != nullptr)
      std::fill_n(job.out.present + row, end - row, pool.present[slot]);
    const uint8_t* const finished = out;
    const size_t before = kPadLeft ? row_bytes - size : 0;  // Bytes loaded in front of the values.
    if (HWY_LIKELY(row < roomy && start >= before && start - before + whole <= readable)) {
      BlendRow<kVectors, kPadLeft, AsHeld>(pad, values + start - before, kPadLeft ? before : size,
                                           whole, out);
    } else {
      PadExactly<kPadLeft, AsHeld>(values + start, size, row_bytes, pattern, out);
    }
    out += row_bytes;
    ++row;
    for (; row < std::min(end, roomy); ++row, out += row_bytes)
      RepeatRow<kVectors>(finished, whole, out);
    for (; row < end; ++row, out += row_bytes) std::memcpy(out, finished, row_bytes);
  }
  return entries;
}

// Slots that ascend without gaps, each of which stands for two rows and more.
bool FewDiffer(const PadJob& job) {
  return job.slots[job.num_rows - 1] - job.slots[0] < job.num_rows / 2;
}

template <size_t kVectors, bool kPadLeft, class Values>
uint64_t PadRowsOf(const ValuePool& pool, const PadJob& job) {
  const D8 d;
  const hn::Repartition<uint64_t, D8> d64;
  const size_t n = hn::Lanes(d);
  constexpr int kNarrow = Values::kNarrow;
  const SoughtRows sought = SeekRows(pool, job);
  const size_t row_bytes = size_t{job.options.row_length} << sought.width_bits;
  const bool past_cache =
      job.out.past_cache && LinesPastCache<kPadLeft, Values>::Takes(
                                row_bytes, static_cast<size_t>(pool.width), job.out.values);
  if constexpr (kNarrow == 0) {
    if (!past_cache && job.slots != nullptr && !sought.is_scattered && FewDiffer(job))
      return PadRepeats<kVectors, kPadLeft>(pool, job);
  }
  const uint64_t pattern = RepeatPad(job.options.pad_bits, static_cast<size_t>(pool.width));
  const auto pad = hn::BitCast(d, hn::Set(d64, pattern));
  const size_t num_rows = job.num_rows;
  const size_t whole = kVectors != 0 ? kVectors * n : (row_bytes + n - 1) / n * n;
  const size_t total = num_rows * row_bytes;
  // Rows after which there is still room for what a row writes past its end.
  const size_t roomy = row_bytes == 0 || total < whole ? 0 : (total - whole) / row_bytes + 1;
  const auto* const values = reinterpret_cast<const uint8_t*>(pool.values);
  const size_t readable = (pool.num_values << sought.held_bits) + pool.slack_bytes;
  FoundRows blocks[2];
  FoundRows* now = &blocks[0];
  FoundRows* next = &blocks[1];
  uint64_t entries = 0;
  auto* out = reinterpret_cast<uint8_t*>(job.out.values);
  LinesPastCache<kPadLeft, Values> lines(pad, values, readable, out);
  FindRows(sought, 0, std::min(kBlockRows, num_rows), next);
  for (size_t first = 0; first < num_rows; first += kBlockRows) {
    std::swap(now, next);
    const size_t count = std::min(kBlockRows, num_rows - first);
    const size_t end = first + count;
    FindRows(sought, end, std::min(kBlockRows, num_rows - end), next);
    entries += now->whole >> sought.width_bits;
    if (job.out.kept != nullptr) {
      for (size_t i = 0; i < count; ++i)
        job.out.kept[first + i] = static_cast<int32_t>(now->size[i] >> sought.width_bits);
    }
    if (past_cache) {
      for (size_t i = 0; i < count; ++i) lines.Add(now->start[i], now->size[i], row_bytes);
      continue;
    }
    // Bytes are loaded in front of the values, or behind them.
    const auto blend = [&](size_t i) HWY_ATTR {
      const size_t before = kPadLeft ? row_bytes - now->size[i] : 0;
      BlendRow<kVectors, kPadLeft, Values>(pad, values + now->start[i] - (before >> kNarrow),
                                           kPadLeft ? before : now->size[i], whole, out);
    };
    if (HWY_LIKELY(end <= roomy && (!kPadLeft || now->first_end >= row_bytes >> kNarrow) &&
                   now->last_start + (whole >> kNarrow) <= readable)) {
      for (size_t i = 0; i < count; ++i, out += row_bytes) blend(i);
      continue;
    }
    for (size_t i = 0; i < count; ++i, out += row_bytes) {
      const size_t held_end = now->start[i] + (now->size[i] >> kNarrow);
      if (first + i < roomy && (!kPadLeft || held_end >= row_bytes >> kNarrow) &&
          now->start[i] + (whole >> kNarrow) <= readable) {
        blend(i);
      } else {
        PadExactly<kPadLeft, Values>(values + now->start[i], now->size[i], row_bytes, pattern, out);
      }
    }
  }
  if (past_cache) lines.Finish();
  return entries;
}

template <bool kPadLeft>
uint64_t PadRowsKernel(const ValuePool& pool, const PadJob& job) {
  if (pool.narrow != 0) {
    return WithValuesOf(pool.width, pool.narrow, [&](auto values) {
      return PadRowsOf<0, kPadLeft, decltype(values)>(pool, job);
    });
  }
  const size_t n = hn::Lanes(D8());
  switch ((size_t{job.options.row_length} * static_cast<size_t>(pool.width) + n - 1) / n) {
    case 1:
      return PadRowsOf<1, kPadLeft, AsHeld>(pool, job);
    case 2:
      return PadRowsOf<2, kPadLeft, AsHeld>(pool, job);
    case 3:
      return PadRowsOf<3, kPadLeft, AsHeld>(pool, job);
    case 4:
      return PadRowsOf<4, kPadLeft, AsHeld>(pool, job);
    case 7:
      return PadRowsOf<7, kPadLeft, AsHeld>(pool, job);
    default:
      return PadRowsOf<0, kPadLeft, AsHeld>(pool, job);
  }
}

#else  // Vectors of one byte: every row exactly.

template <bool kPadLeft>
uint64_t PadRowsKernel(const ValuePool& pool, const PadJob& job) {
  const SoughtRows sought = SeekRows(pool, job);
  const uint64_t pattern = RepeatPad(job.options.pad_bits, static_cast<size_t>(pool.width));
  const size_t row_bytes = size_t{job.options.row_length} << sought.width_bits;
  uint64_t entries = 0;
  FoundRows found;
  for (size_t first = 0; first < job.num_rows; first += kBlockRows) {
    const size_t count = std::min(kBlockRows, job.num_rows - first);
    FindRows(sought, first, count, &found);
    entries += found.whole >> sought.width_bits;
    for (size_t i = 0; i < count; ++i) {
      if (job.out.kept != nullptr)
        job.out.kept[first + i] = static_cast<int32_t>(found.size[i] >> sought.width_bits);
      auto* const out = reinterpret_cast<uint8_t*>(job.out.values) + (first + i) * row_bytes;
      const auto* const from = reinterpret_cast<const uint8_t*>(pool.values) + found.start[i];
      WithValuesOf(pool.width, pool.narrow, [&](auto values) {
        PadExactly<kPadLeft, decltype(values)>(from, found.size[i], row_bytes, pattern, out);
      });
    }
  }
  return entries;
}

#endif  // HWY_TARGET != HWY_SCALAR

uint64_t PadRight(const ValuePool& pool, const PadJob& job) {
  return PadRowsKernel<false>(pool, job);
}
uint64_t PadLeft(const ValuePool& pool, const PadJob& job) {
  return PadRowsKernel<true>(pool, job);
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
namespace {

HWY_EXPORT(PadRight);
HWY_EXPORT(PadLeft);

uint64_t Dispatch(const ValuePool& pool, const PadJob& job) {
  if (job.num_rows == 0) return 0;
  return job.options.pad_left ? HWY_DYNAMIC_DISPATCH(PadLeft)(pool, job)
                              : HWY_DYNAMIC_DISPATCH(PadRight)(pool, job);
}

}  // namespace

uint64_t PadRows(const ValuePool& pool, std::span<const uint32_t> slots, const PadOptions& options,
                 const PaddedRows& out) {
  // Those of rows that repeat their neighbours ascend without gaps.
  const bool is_scattered = !slots.empty() && slots.back() - slots.front() >= slots.size();
  if (options.row_length == 1 && !is_scattered && !slots.empty() && pool.places == nullptr &&
      pool.narrow == 0)
    return PadScalars(pool, slots.data(), 0, slots.size(), options, out);
  return Dispatch(pool, {slots.data(), 0, slots.size(), options, out});
}

uint64_t PadRowRange(const ValuePool& pool, uint32_t first, size_t count, const PadOptions& options,
                     const PaddedRows& out) {
  if (options.row_length == 1 && pool.narrow == 0)
    return PadScalars(pool, nullptr, first, count, options, out);
  return Dispatch(pool, {nullptr, first, count, options, out});
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
