// Copies and expansions of lists into the slab. Kernels are those of dedup/expand_internal.h.
#include "dsi/reader/scan/fill_source_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/dedup/expand_internal.h"

namespace dsi::internal {
namespace {

// No more of a batch than this is found in a cache when its consumer comes to it.
constexpr uint64_t kCacheBytes = uint64_t{32} << 20;

}  // namespace

bool IsOneNumber(const ScanOutput& output, const ShapeView& shape) {
  return shape.plain && shape.entries == 1 &&
         (IsKeyed(output.layout) || (IsPadded(output.layout) && output.width == 1));
}

// What one output is made of in one piece. Plain scalars need no arrays of their shape.
Result<Source> SourceOf(const ScanOutput& output, const BatchPiece& piece) {
  Source source{.output = &output,
                .rows = &piece.group(output.group),
                .shape = piece.shape(output.shape),
                .pool = {}};
  if (!source.shape.sparse && !IsOneNumber(output, source.shape)) {
    DSI_ASSIGN_OR_RETURN(source.shape, piece.ShapeArrays(output.shape));
  }
  const ValuesView values = piece.values(output.values);
  source.pool = {.values = values.values,
                 .num_values = values.num_values,
                 .width = static_cast<int>(output.item_size),
                 .starts = values.starts != nullptr ? values.starts : source.shape.starts,
                 .lengths = values.lengths != nullptr ? values.lengths : source.shape.lengths,
                 .present = source.shape.present,
                 .slack_bytes = values.values != nullptr ? ScanBuffer::kSlack : 0,
                 .places = values.starts != nullptr ? nullptr : source.shape.places()};
  return source;
}

namespace {

// Rows `slots`, or unique rows from `first_slot` on where they are `in_order`, from padded row `to`
// on. Returns their entries.
uint64_t FillPadded(const Source& source, std::span<const uint32_t> slots, bool in_order,
                    uint32_t first_slot, size_t num_rows, uint64_t to, const OutputPlace& place,
                    BatchState* batch) {
  const ScanOutput& output = *source.output;
  const PaddedRows out{.values = batch->At(place.values) + to * output.width * output.item_size,
                       .kept = reinterpret_cast<int32_t*>(batch->At(place.lengths)) + to,
                       .present = reinterpret_cast<uint8_t*>(batch->At(place.present)) + to,
                       .past_cache = batch->used > kCacheBytes};
  if (IsOneNumber(output, source.shape)) {
    if (in_order) {
      std::memcpy(out.values, source.pool.values + first_slot * output.item_size,
                  num_rows * output.item_size);
    } else {
      ExpandScalars(source.pool.values, source.pool.num_values, source.pool.width, slots,
                    out.values);
    }
    std::fill_n(out.kept, num_rows, 1);
    std::memset(out.present, 1, num_rows);
    return num_rows;
  }
  const PadOptions options{.row_length = output.width,
                           .pad_bits = output.pad_bits,
                           .pad_left = output.pad_left,
                           .keep_last = output.keep_last};
  if (source.shape.sparse)
    return PadPresentRows(source.shape, source.pool, first_slot, num_rows, options, out);
  return in_order ? PadRowRange(source.pool, first_slot, num_rows, options, out)
                  : PadRows(source.pool, slots, options, out);
}

// Entries, offsets and presence of rows that start with row `first`; returns the entries so far.
uint64_t FillJagged(const Source& source, const PieceRows& rows, uint64_t first, uint64_t base,
                    const OutputPlace& place, BatchState* batch) {
  const uint64_t item_size = source.output->item_size;
  const JaggedRows out{
      .values = batch->At(place.values) + base * item_size,
      .room = place.num_values - base,
      .offsets = reinterpret_cast<int64_t*>(batch->At(place.offsets)) + first,
      .base = static_cast<int64_t>(base),
      .present = reinterpret_cast<uint8_t*>(batch->At(place.present)) + first,
  };
  if (source.shape.sparse) return base + CopyPresentRows(source.shape, source.pool, out);
  if (!rows.in_order) return base + GatherRows(source.pool, rows.slots, out);
  if (source.shape.windows) return base + GatherRowRange(source.pool, rows.count, out);
  const uint64_t entries = source.shape.end_value - source.shape.first_value;
  if (entries != 0) std::memcpy(out.values, source.pool.values, entries * item_size);
  for (size_t i = 0; i < rows.count; ++i)
    out.offsets[i] = out.base + static_cast<int64_t>(source.shape.starts[i]);
  out.offsets[rows.count] = out.base + static_cast<int64_t>(entries);
  std::memcpy(out.present, source.shape.present, rows.count);
  return base + entries;
}

// Entries of rows, also those that the plan did not read.
uint64_t CountWhole(const ShapeView& shape, std::span<const uint32_t> slots) {
  uint64_t entries = 0;
  for (const uint32_t slot : slots) entries += shape.lengths[slot];
  return entries;
}

// Rows [begin, end) of a padded output.
Result<uint64_t> FillPaddedRows(const ScanProjection& projection, uint32_t at,
                                std::span<const BatchPiece> pieces, uint32_t begin, uint32_t end,
                                BatchState* batch) {
  const ScanOutput& output = projection.outputs[at];
  uint64_t entries = 0;
  for (const BatchPiece& piece : pieces) {
    const uint32_t from = std::max(begin, piece.first);
    const uint32_t to = std::min(end, piece.first + piece.num_rows);
    if (from >= to) continue;
    DSI_ASSIGN_OR_RETURN(const Source source, SourceOf(output, piece));
    const uint32_t first = from - piece.first;
    const std::span<const uint32_t> slots = source.rows->slots.subspan(first, to - from);
    const uint64_t filled = FillPadded(source, slots, source.rows->identity, first, to - from, from,
                                       batch->outputs[at], batch);
    entries +=
        source.pool.lengths == source.shape.lengths ? filled : CountWhole(source.shape, slots);
  }
  return entries;
}

}  // namespace

Result<uint64_t> FillOutput(const ScanProjection& projection, uint32_t at,
                            std::span<const BatchPiece> pieces, uint32_t begin, uint32_t end,
                            BatchState* batch) {
  const ScanOutput& output = projection.outputs[at];
  const OutputPlace& place = batch->outputs[at];
  if (output.layout == Layout::kPadded)
    return FillPaddedRows(projection, at, pieces, begin, end, batch);
  uint64_t unique = 0;
  uint64_t entries = 0;
  for (const BatchPiece& piece : pieces) {
    DSI_ASSIGN_OR_RETURN(const Source source, SourceOf(output, piece));
    const GroupRows& rows = *source.rows;
    switch (output.layout) {
      case Layout::kJagged:
        entries = FillJagged(source, AllRows(rows), piece.first, entries, place, batch);
        break;
      case Layout::kIkjt:
        entries = FillJagged(source, UniqueRowsOf(rows), unique, entries, place, batch);
        break;
      case Layout::kPaddedIkjt:
        entries += FillPadded(source, rows.touched, !rows.scattered, 0, rows.num_touched(), unique,
                              place, batch);
        break;
      case Layout::kVbe:
        entries = FillKeyed(source, UniqueRowsOf(rows), unique, entries, projection.kjt_lengths,
                            place, batch);
        break;
      case Layout::kKjt:
        entries = FillKeyed(source, AllRows(rows), piece.first, entries, projection.kjt_lengths,
                            place, batch);
        break;
      case Layout::kPadded:
      case Layout::kDense:
        break;
    }
    unique += rows.num_touched();
  }
  return entries;
}

}  // namespace dsi::internal
