// What one output is made of in one piece of a batch, and which of its rows are wanted.
#pragma once

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

// Values, lengths and offsets of a part of a key of a KeyedJaggedTensor, the rows of which are
// `rows`. Where the last row ends is not written. `type`: kInt32 or kInt64, of lengths and offsets.
void FillKeyed(const Source& source, const PieceRows& rows, const ListPart& part, bool alone,
               Type type, const OutputPlace& place, BatchState* batch);

}  // namespace dsi::internal
