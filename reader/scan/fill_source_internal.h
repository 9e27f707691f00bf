// What one output is made of in one piece of a batch, and which of its rows are wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/dedup/expand_internal.h"
#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {

struct Source {
  const ScanOutput* output;
  const GroupRows* rows;
  ShapeView shape;
  ValuePool pool;
};

// Plain scalars that are padded or keyed need no arrays of their shape.
Result<Source> SourceOf(const ScanOutput& output, const BatchPiece& piece);

// Rows of a piece, or of the unique rows that it touches.
struct PieceRows {
  std::span<const uint32_t> slots;  // Not those of rows in order.
  uint32_t first = 0;
  size_t count = 0;
  bool in_order = false;  // first, first + 1, …
};

// Rows [begin, end) of them.
inline PieceRows RowsOf(const GroupRows& rows, uint32_t begin, uint32_t end) {
  return {rows.identity ? std::span<const uint32_t>() : rows.slots.subspan(begin, end - begin),
          begin, end - begin, rows.identity};
}
inline PieceRows UniqueRowsOf(const GroupRows& rows, uint32_t begin, uint32_t end) {
  return {rows.scattered ? rows.touched.subspan(begin, end - begin) : std::span<const uint32_t>(),
          begin, end - begin, !rows.scattered};
}

// So many values may be written from where a part of a list starts: its own, and where nobody else
// writes to the output meanwhile, those behind it, which come later.
inline uint64_t RoomOf(const ListPart& part, const OutputPlace& place, bool alone) {
  return alone ? place.num_values - part.first_entry : part.entries;
}

// Gathers rows some at a time, and calls store(first, count, bounds) for each: where these rows, of
// those of `rows`, start, and where the last one ends. `to.offsets` is not used.
template <typename Store>
void GatherInSteps(const ValuePool& pool, const PieceRows& rows, const JaggedRows& to,
                   const Store& store) {
  constexpr size_t kRowsAtATime = 1024;  // Their bounds stay in the first-level cache.
  int64_t bounds[kRowsAtATime + 1];
  uint64_t entries = 0;
  for (size_t first = 0; first < rows.count; first += kRowsAtATime) {
    const size_t count = std::min(kRowsAtATime, rows.count - first);
    const JaggedRows some{.values = to.values + entries * static_cast<size_t>(pool.width),
                          .room = to.room - entries,
                          .offsets = bounds,
                          .base = to.base + static_cast<int64_t>(entries),
                          .present = to.present != nullptr ? to.present + first : nullptr};
    entries += rows.in_order ? GatherRowRange(pool.From(rows.first + first), count, some)
                             : GatherRows(pool, rows.slots.subspan(first, count), some);
    store(first, count, bounds);
  }
}

// Values, lengths and offsets of a part of a key of a KeyedJaggedTensor, the rows of which are
// `rows`. Where the last row ends is not written. `type`: kInt32 or kInt64, of lengths and offsets.
void FillKeyed(const Source& source, const PieceRows& rows, const ListPart& part, bool alone,
               Type type, const OutputPlace& place, BatchState* batch);

}  // namespace dsi::internal
