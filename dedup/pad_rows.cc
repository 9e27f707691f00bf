// Padded and jagged rows from a pool of values. Included once per Highway target.
//
// Every store is a whole vector, at increasing addresses; what a row writes past its end, the row
// after it overwrites. Near the end of the output, and where a load would pass the end of the pool,
// bytes are copied exactly. Rows are handled as bytes: one kernel serves all widths.

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <cstring>

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
  const uint32_t* slots = nullptr;  // nullptr: unique rows from first_slot on.
  size_t first_slot = 0;
  size_t num_rows = 0;
  size_t width = 8;
  size_t row_length = 0;
  uint64_t pad_bits = 0;
  uint8_t* out = nullptr;
  int32_t* kept = nullptr;  // Per row; nullptr: nobody asks.
};

inline size_t SlotOf(const PadJob& job, size_t row) {
  return job.slots != nullptr ? job.slots[row] : job.first_slot + row;
}

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

// Where a row's kept values lie.
struct KeptValues {
  const uint8_t* from;
  size_t size;  // In bytes.
  int32_t count;
};

template <bool kKeepLast>
HWY_INLINE KeptValues KeptOf(const PadJob& job, size_t slot) {
  const size_t length = job.lengths[slot];
  const size_t kept = std::min<size_t>(length, job.row_length);
  const size_t skipped = kKeepLast ? length - kept : 0;
  return {job.values + (job.starts[slot] + skipped) * job.width, kept * job.width,
          static_cast<int32_t>(kept)};
}

HWY_INLINE void TellKept(const PadJob& job, size_t row, int32_t count) {
  if (job.kept != nullptr) job.kept[row] = count;
}

// Unique rows of an owner's versions lie anywhere: their places and values are asked for ahead.
HWY_INLINE void PrefetchAhead(const PadJob& job, size_t row) {
  constexpr size_t kPlaceAhead = 24;
  constexpr size_t kValuesAhead = 12;
  if (job.slots == nullptr || row + kPlaceAhead >= job.num_rows) return;
  const size_t far = job.slots[row + kPlaceAhead];
  hwy::Prefetch(job.starts + far);
  hwy::Prefetch(job.lengths + far);
  hwy::Prefetch(job.values + job.starts[job.slots[row + kValuesAhead]] * job.width);
}

// One row with exact stores, for the places where whole vectors would pass an end.
template <bool kPadLeft>
HWY_INLINE void PadExactly(KeptValues kept, size_t row_bytes, uint64_t pattern, uint8_t* out) {
  const size_t pad_bytes = row_bytes - kept.size;
  if (kPadLeft) FillExactly(out, pad_bytes, pattern);
  if (kept.size != 0) std::memcpy(out + (kPadLeft ? pad_bytes : 0), kept.from, kept.size);
  if (!kPadLeft) FillExactly(out + kept.size, pad_bytes, pattern);
}

// Stores size bytes rounded up to whole vectors.
HWY_INLINE void CopyVectors(const uint8_t* from, size_t size, uint8_t* out) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  for (size_t i = 0; i < size; i += n) hn::StoreU(hn::LoadU(d, from + i), d, out + i);
}

#if HWY_TARGET != HWY_SCALAR

template <class V>
HWY_INLINE void FillVectors(V value, size_t size, uint8_t* out) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  for (size_t i = 0; i < size; i += n) hn::StoreU(value, d, out + i);
}

// One vector of a short row: of the `border` first bytes of the row, and of the rest, one part is
// padding and the other the values. `at` is the vector's place in the row.
template <bool kPadLeft, class V>
HWY_INLINE V Blend(V pad, const uint8_t* from, size_t border, size_t at) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  const auto first = hn::FirstN(d, std::min(border - std::min(border, at), n));
  const auto loaded = hn::LoadU(d, from + at);
  return kPadLeft ? hn::IfThenElse(first, pad, loaded) : hn::IfThenElse(first, loaded, pad);
}

// Rows of one or two vectors: values and padding are blended in registers, without a branch that
// depends on a row's length, and stay there for the rows that repeat them.
template <bool kTwoVectors, bool kPadLeft, bool kKeepLast>
void PadShortRows(const PadJob job) {
  const D8 d;
  const hn::Repartition<uint64_t, D8> d64;
  const size_t n = hn::Lanes(d);
  const uint64_t pattern = RepeatPad(job.pad_bits, job.width);
  const auto pad = hn::BitCast(d, hn::Set(d64, pattern));
  const size_t row_bytes = job.row_length * job.width;
  const size_t whole_vectors = kTwoVectors ? 2 * n : n;
  const size_t total = job.num_rows * row_bytes;
  // Rows after which there is still room for what a row writes past its end.
  const size_t roomy = total < whole_vectors ? 0 : (total - whole_vectors) / row_bytes + 1;
  HWY_ALIGN uint8_t edge[2 * HWY_MAX_BYTES] = {};
  auto low = pad;
  auto high = pad;
  size_t last_slot = SIZE_MAX;
  int32_t count = 0;
  uint8_t* out = job.out;
  size_t row = 0;
  for (; row < roomy; ++row, out += row_bytes) {
    const size_t slot = SlotOf(job, row);
    if (slot != last_slot) {
      last_slot = slot;
      PrefetchAhead(job, row);
      const KeptValues kept = KeptOf<kKeepLast>(job, slot);
      count = kept.count;
      const size_t pad_bytes = row_bytes - kept.size;
      const size_t before = kPadLeft ? pad_bytes : 0;  // Bytes loaded in front of the values.
      if (HWY_LIKELY(static_cast<size_t>(kept.from - job.values) >= before &&
                     static_cast<size_t>(job.values_end - kept.from) + before >= whole_vectors)) {
        const uint8_t* from = kept.from - before;
        const size_t border = kPadLeft ? pad_bytes : kept.size;
        low = Blend<kPadLeft>(pad, from, border, 0);
        if (kTwoVectors) high = Blend<kPadLeft>(pad, from, border, n);
      } else {
        PadExactly<kPadLeft>(kept, row_bytes, pattern, edge);
        low = hn::Load(d, edge);
        if (kTwoVectors) high = hn::Load(d, edge + n);
      }
    }
    hn::StoreU(low, d, out);
    if (kTwoVectors) hn::StoreU(high, d, out + n);
    TellKept(job, row, count);
  }
  for (; row < job.num_rows; ++row, out += row_bytes) {
    const KeptValues kept = KeptOf<kKeepLast>(job, SlotOf(job, row));
    PadExactly<kPadLeft>(kept, row_bytes, pattern, out);
    TellKept(job, row, kept.count);
  }
}

// Rows of any length. A row that repeats the one before is copied from it as it stands.
template <bool kPadLeft, bool kKeepLast>
void PadLongRows(const PadJob job) {
  const D8 d;
  const hn::Repartition<uint64_t, D8> d64;
  const size_t n = hn::Lanes(d);
  const uint64_t pattern = RepeatPad(job.pad_bits, job.width);
  const auto pad = hn::BitCast(d, hn::Set(d64, pattern));
  const size_t row_bytes = job.row_length * job.width;
  const size_t whole_vectors = (row_bytes + n - 1) / n * n;
  uint8_t* out = job.out;
  uint8_t* const end = out + job.num_rows * row_bytes;
  for (size_t row = 0; row < job.num_rows;) {
    const size_t slot = SlotOf(job, row);
    PrefetchAhead(job, row);
    const KeptValues kept = KeptOf<kKeepLast>(job, slot);
    const size_t pad_bytes = row_bytes - kept.size;
    uint8_t* const finished = out;
    if (HWY_UNLIKELY(static_cast<size_t>(end - out) < whole_vectors + n ||
                     static_cast<size_t>(job.values_end - kept.from) < kept.size + n)) {
      PadExactly<kPadLeft>(kept, row_bytes, pattern, out);
    } else if (kPadLeft) {
      FillVectors(pad, pad_bytes, out);
      CopyVectors(kept.from, kept.size, out + pad_bytes);
    } else {
      CopyVectors(kept.from, kept.size, out);
      FillVectors(pad, pad_bytes, out + kept.size);
    }
    out += row_bytes;
    TellKept(job, row, kept.count);
    ++row;
    if (job.slots == nullptr) continue;
    for (; row < job.num_rows && job.slots[row] == slot; ++row) {
      if (static_cast<size_t>(end - out) >= whole_vectors) {
        CopyVectors(finished, row_bytes, out);
      } else {
        std::memcpy(out, finished, row_bytes);
      }
      out += row_bytes;
      TellKept(job, row, kept.count);
    }
  }
}

template <bool kPadLeft, bool kKeepLast>
void PadRowsKernel(const PadJob& job) {
  const size_t n = hn::Lanes(D8());
  const size_t vectors = (job.row_length * job.width + n - 1) / n;
  if (vectors == 1) return PadShortRows<false, kPadLeft, kKeepLast>(job);
  if (vectors == 2) return PadShortRows<true, kPadLeft, kKeepLast>(job);
  PadLongRows<kPadLeft, kKeepLast>(job);
}

#else  // Vectors of one byte: every row exactly.

template <bool kPadLeft, bool kKeepLast>
void PadRowsKernel(const PadJob& job) {
  const uint64_t pattern = RepeatPad(job.pad_bits, job.width);
  const size_t row_bytes = job.row_length * job.width;
  for (size_t row = 0; row < job.num_rows; ++row) {
    const KeptValues kept = KeptOf<kKeepLast>(job, SlotOf(job, row));
    PadExactly<kPadLeft>(kept, row_bytes, pattern, job.out + row * row_bytes);
    TellKept(job, row, kept.count);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

void PadRightKeepFirst(const PadJob& job) { PadRowsKernel<false, false>(job); }
void PadRightKeepLast(const PadJob& job) { PadRowsKernel<false, true>(job); }
void PadLeftKeepFirst(const PadJob& job) { PadRowsKernel<true, false>(job); }
void PadLeftKeepLast(const PadJob& job) { PadRowsKernel<true, true>(job); }

void GatherRowsKernel(const PadJob job, uint64_t num_out) {
  const D8 d;
  const size_t n = hn::Lanes(d);
  constexpr size_t kLongCopy = 512;  // From here on memcpy's own choices beat a plain loop.
  uint8_t* out = job.out;
  const uint8_t* const end = out + num_out * job.width;
  for (size_t row = 0; row < job.num_rows;) {
    PrefetchAhead(job, row);
    const uint64_t start = job.starts[SlotOf(job, row)];
    uint64_t stop = start + job.lengths[SlotOf(job, row)];
    ++row;
    // Unique rows numbered by first use follow each other in the pool most of the time.
    while (row < job.num_rows && job.starts[SlotOf(job, row)] == stop) {
      stop += job.lengths[SlotOf(job, row)];
      ++row;
    }
    const size_t size = (stop - start) * job.width;
    const uint8_t* from = job.values + start * job.width;
    const bool roomy = size < kLongCopy && static_cast<size_t>(end - out) >= size + n &&
                       static_cast<size_t>(job.values_end - from) >= size + n;
    if (roomy) {
      CopyVectors(from, size, out);
    } else if (size != 0) {
      std::memcpy(out, from, size);
    }
    out += size;
  }
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
namespace {

HWY_EXPORT(PadRightKeepFirst);
HWY_EXPORT(PadRightKeepLast);
HWY_EXPORT(PadLeftKeepFirst);
HWY_EXPORT(PadLeftKeepLast);
HWY_EXPORT(GatherRowsKernel);

PadJob JobOf(const ValuePool& pool, const PadOptions& options, std::byte* out,
             int32_t* kept = nullptr) {
  PadJob job;
  job.width = static_cast<size_t>(pool.width);
  job.values = reinterpret_cast<const uint8_t*>(pool.values);
  job.values_end = job.values + pool.num_values * job.width;
  job.starts = pool.starts;
  job.lengths = pool.lengths;
  job.row_length = options.row_length;
  job.pad_bits = options.pad_bits;
  job.out = reinterpret_cast<uint8_t*>(out);
  job.kept = kept;
  return job;
}

void Dispatch(const PadJob& job, const PadOptions& options) {
  if (job.num_rows == 0) return;
  if (job.row_length == 0) {
    if (job.kept != nullptr) std::fill_n(job.kept, job.num_rows, 0);
    return;
  }
  if (options.pad_left) {
    options.keep_last ? HWY_DYNAMIC_DISPATCH(PadLeftKeepLast)(job)
                      : HWY_DYNAMIC_DISPATCH(PadLeftKeepFirst)(job);
  } else {
    options.keep_last ? HWY_DYNAMIC_DISPATCH(PadRightKeepLast)(job)
                      : HWY_DYNAMIC_DISPATCH(PadRightKeepFirst)(job);
  }
}

}  // namespace

void PadRows(const ValuePool& pool, std::span<const uint32_t> slots, const PadOptions& options,
             std::byte* out, int32_t* kept) {
  PadJob job = JobOf(pool, options, out, kept);
  job.slots = slots.data();
  job.num_rows = slots.size();
  Dispatch(job, options);
}

void PadRowRange(const ValuePool& pool, uint32_t first, size_t count, const PadOptions& options,
                 std::byte* out, int32_t* kept) {
  PadJob job = JobOf(pool, options, out, kept);
  job.first_slot = first;
  job.num_rows = count;
  Dispatch(job, options);
}

void GatherRows(const ValuePool& pool, std::span<const uint32_t> slots, std::byte* out) {
  PadJob job = JobOf(pool, {}, out);
  job.slots = slots.data();
  job.num_rows = slots.size();
  uint64_t num_out = 0;
  for (const uint32_t slot : slots) num_out += pool.lengths[slot];
  HWY_DYNAMIC_DISPATCH(GatherRowsKernel)(job, num_out);
}

void GatherRowRange(const ValuePool& pool, size_t count, std::byte* out) {
  PadJob job = JobOf(pool, {}, out);
  job.num_rows = count;
  uint64_t num_out = 0;
  for (size_t row = 0; row < count; ++row) num_out += pool.lengths[row];
  HWY_DYNAMIC_DISPATCH(GatherRowsKernel)(job, num_out);
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
