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

// The rows of a piece, or the unique rows that it touches.
struct PieceRows {
  std::span<const uint32_t> slots;  // Not those of rows in order.
  size_t count = 0;
  bool in_order = false;  // 0, 1, 2, …
};

inline PieceRows AllRows(const GroupRows& rows) {
  return {rows.slots, rows.num_rows, rows.identity};
}
inline PieceRows UniqueRowsOf(const GroupRows& rows) {
  return {rows.touched, rows.num_touched(), !rows.scattered};
}

// Values, lengths and offsets of rows of a key of a KeyedJaggedTensor, from row `first` of the key
// on, before which it has `base` entries; returns the entries so far. Where the last row ends is
// not written. `type`: kInt32 or kInt64, of lengths and offsets.
uint64_t FillKeyed(const Source& source, const PieceRows& rows, uint64_t first, uint64_t base,
                   Type type, const OutputPlace& place, BatchState* batch);

}  // namespace dsi::internal
