// Copies and expansions of lists into the slab. Kernels are those of dedup/expand_internal.h.
#include "dsi/reader/scan/fill_source_internal.h"

#include <algorithm>
#include <bit>
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
ValuePool ValuePoolOf(const ValuesView& values, const ShapeView& shape, size_t width) {
  return {.values = values.values,
          .num_values = values.num_values,
          .width = static_cast<int>(width),
          .narrow = values.width == 0 ? 0 : std::countr_zero(width / values.width),
          .starts = values.starts != nullptr ? values.starts : shape.starts,
          .lengths = values.lengths != nullptr ? values.lengths : shape.lengths,
          .present = shape.present,
          .slack_bytes = values.values != nullptr ? ScanBuffer::kSlack : 0,
          .places = values.starts != nullptr ? nullptr : shape.places()};
}

Result<Source> SourceOf(const ScanOutput& output, const BatchPiece& piece) {
  Source source{.output = &output,
                .rows = &piece.group(output.group),
                .shape = piece.shape(output.shape),
                .pool = {}};
  if (!source.shape.sparse && !IsOneNumber(output, source.shape)) {
    DSI_ASSIGN_OR_RETURN(source.shape, piece.ShapeArrays(output.shape));
  }
  source.pool = ValuePoolOf(piece.values(output.values), source.shape, output.item_size);
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

// Values, offsets and presence of a part, the rows of which are `rows`.
void FillJagged(const Source& source, const PieceRows& rows, const ListPart& part, bool alone,
                const OutputPlace& place, BatchState* batch) {
  const uint64_t item_size = source.output->item_size;
  const JaggedRows out{
      .values = batch->At(place.values) + part.first_entry * item_size,
      .room = RoomOf(part, place, alone),
      .offsets = reinterpret_cast<int64_t*>(batch->At(place.offsets)) + part.first_row,
      .base = static_cast<int64_t>(part.first_entry),
      .present = reinterpret_cast<uint8_t*>(batch->At(place.present)) + part.first_row,
  };
  const ShapeView& shape = source.shape;
  const bool ends = alone || part.is_last;  // Where its last row does is written.
  if (shape.sparse) return CopyPresentRows(shape, source.pool, ends, out);
  if (!rows.in_order || shape.windows) {
    if (!ends) {
      return GatherInSteps(source.pool, rows, out,
                           [&](size_t first, size_t count, const int64_t* bounds) {
                             std::copy_n(bounds, count, out.offsets + first);
                           });
    }
    if (rows.in_order)
      GatherRowRange(source.pool.From(rows.first), rows.count, out);
    else
      GatherRows(source.pool, rows.slots, out);
    return;
  }
  const uint64_t begin = rows.count == 0 ? 0 : shape.starts[rows.first];
  if (part.entries != 0)
    std::memcpy(out.values, source.pool.values + begin * item_size, part.entries * item_size);
  const uint64_t* const starts = shape.starts + rows.first;
  for (size_t i = 0; i < rows.count; ++i)
    out.offsets[i] = out.base + static_cast<int64_t>(starts[i] - begin);
  if (ends) out.offsets[rows.count] = out.base + static_cast<int64_t>(part.entries);
  std::memcpy(out.present, shape.present + rows.first, rows.count);
}

// Entries of rows, also those that the plan did not read.
uint64_t CountWhole(const ShapeView& shape, std::span<const uint32_t> slots) {
  uint64_t entries = 0;
  for (const uint32_t slot : slots) entries += shape.lengths[slot];
  return entries;
}

}  // namespace

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

Result<uint64_t> FillList(const ScanProjection& projection, const ListPart& part,
                          std::span<const BatchPiece> pieces, bool alone, BatchState* batch) {
  const ScanOutput& output = projection.outputs[part.output];
  const OutputPlace& place = batch->outputs[part.output];
  DSI_ASSIGN_OR_RETURN(const Source source, SourceOf(output, pieces[part.piece]));
  const GroupRows& rows = *source.rows;
  const PieceRows all = output.layout == Layout::kJagged || output.layout == Layout::kKjt
                            ? RowsOf(rows, part.begin, part.end)
                            : UniqueRowsOf(rows, part.begin, part.end);
  if (IsKeyed(output.layout)) {
    FillKeyed(source, all, part, alone, projection.kjt_lengths, place, batch);
  } else if (output.layout == Layout::kPaddedIkjt) {
    FillPadded(source, all.slots, all.in_order, all.first, all.count, part.first_row, place, batch);
  } else {
    FillJagged(source, all, part, alone, place, batch);
  }
  return part.entries;
}

}  // namespace dsi::internal
