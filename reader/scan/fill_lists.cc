// Copies and expansions of lists into the slab. Kernels are those of dedup/expand_internal.h.
#include "dsi/reader/scan/fill_batch_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/dedup/expand_internal.h"

namespace dsi::internal {
namespace {

// Everything about one output in one piece.
struct Source {
  const ScanOutput* output;
  const GroupRows* rows;
  ShapeView shape;
  ValuePool pool;
};

void MarkPresent(const Source& source, std::span<const uint32_t> slots, size_t num_rows,
                 bool in_order, uint8_t* present) {
  const bool all_present =
      source.shape.plain || (source.shape.count <= num_rows &&
                             std::memchr(source.shape.present, 0, source.shape.count) == nullptr);
  if (all_present) {
    std::memset(present, 1, num_rows);
  } else if (in_order) {
    std::memcpy(present, source.shape.present, num_rows);
  } else {
    for (size_t i = 0; i < num_rows; ++i) present[i] = source.shape.present[slots[i]];
  }
}

// Rows `slots`, which are 0, 1, 2, … where they are `in_order`, from padded row `first` on.
void FillPadded(const Source& source, std::span<const uint32_t> slots, size_t num_rows,
                bool in_order, uint64_t first, const OutputPlace& place, BatchState* batch) {
  const ScanOutput& output = *source.output;
  std::byte* const out = batch->At(place.values) + first * output.width * output.item_size;
  auto* const lengths = reinterpret_cast<int32_t*>(batch->At(place.lengths)) + first;
  if (source.shape.plain && source.shape.entries == 1 && output.width == 1) {
    if (in_order) {
      std::memcpy(out, source.pool.values, num_rows * output.item_size);
    } else {
      ExpandScalars(source.pool.values, source.pool.width, slots, out, output.item_size);
    }
    std::fill_n(lengths, num_rows, 1);
  } else {
    const PadOptions options{.row_length = output.width,
                             .pad_bits = output.pad_bits,
                             .pad_left = output.pad_left,
                             .keep_last = output.keep_last};
    if (in_order) {
      PadRowRange(source.pool, 0, num_rows, options, out, lengths);
    } else {
      PadRows(source.pool, slots, options, out, lengths);
    }
  }
  MarkPresent(source, slots, num_rows, in_order,
              reinterpret_cast<uint8_t*>(batch->At(place.present)) + first);
}

// The entries of rows `slots`, or of all of the view, one after another.
void CopyEntries(const Source& source, std::span<const uint32_t> slots, bool all_in_order,
                 std::byte* out) {
  if (!all_in_order) return GatherRows(source.pool, slots, out);
  if (source.shape.windows) return GatherRowRange(source.pool, source.shape.count, out);
  const uint64_t entries = source.shape.end_value - source.shape.first_value;
  if (entries != 0) std::memcpy(out, source.pool.values, entries * source.output->item_size);
}

// Entries and offsets of rows, from `base` entries on; returns the entries so far.
int64_t FillJaggedRows(const Source& source, std::span<const uint32_t> slots, bool all_in_order,
                       uint64_t first, int64_t base, const OutputPlace& place, BatchState* batch) {
  CopyEntries(source, slots, all_in_order,
              batch->At(place.values) + static_cast<uint64_t>(base) * source.output->item_size);
  auto* const offsets = reinterpret_cast<int64_t*>(batch->At(place.offsets)) + first;
  if (!all_in_order) return JaggedOffsets(source.shape.lengths, slots, base, offsets);
  const size_t count = source.shape.count;
  if (!source.shape.windows) {
    for (size_t i = 0; i < count; ++i)
      offsets[i] = base + static_cast<int64_t>(source.shape.starts[i]);
    offsets[count] = base + static_cast<int64_t>(source.shape.end_value - source.shape.first_value);
    return offsets[count];
  }
  int64_t at = base;
  for (size_t i = 0; i < count; ++i) {
    offsets[i] = at;
    at += source.shape.lengths[i];
  }
  offsets[count] = at;
  return at;
}

int64_t FillUnique(const Source& source, uint64_t first, int64_t base, const OutputPlace& place,
                   BatchState* batch) {
  const GroupRows& rows = *source.rows;
  MarkPresent(source, rows.touched, rows.num_touched(), !rows.scattered,
              reinterpret_cast<uint8_t*>(batch->At(place.present)) + first);
  return FillJaggedRows(source, rows.touched, !rows.scattered, first, base, place, batch);
}

template <typename Length>
int64_t CopyLengths(const Source& source, Length* lengths) {
  const GroupRows& rows = *source.rows;
  int64_t entries = 0;
  for (size_t i = 0; i < rows.num_touched(); ++i) {
    const uint32_t length = source.shape.lengths[rows.scattered ? rows.touched[i] : i];
    lengths[i] = static_cast<Length>(length);
    entries += length;
  }
  return entries;
}

// Entries and lengths of unique rows; returns the entries of the key so far.
int64_t FillVbe(const Source& source, uint64_t first, int64_t base, Type lengths_dtype,
                const OutputPlace& place, BatchState* batch) {
  CopyEntries(source, source.rows->touched, !source.rows->scattered,
              batch->At(place.values) + static_cast<uint64_t>(base) * source.output->item_size);
  std::byte* const lengths = batch->At(place.lengths);
  if (lengths_dtype == Type::kInt64)
    return base + CopyLengths(source, reinterpret_cast<int64_t*>(lengths) + first);
  return base + CopyLengths(source, reinterpret_cast<int32_t*>(lengths) + first);
}

}  // namespace

Status FillOutput(const ScanProjection& projection, uint32_t at, std::span<const BatchPiece> pieces,
                  BatchState* batch) {
  const ScanOutput& output = projection.outputs[at];
  const OutputPlace& place = batch->outputs[at];
  uint64_t unique = 0;
  int64_t entries = 0;
  for (const BatchPiece& piece : pieces) {
    Source source{.output = &output,
                  .rows = &piece.group(output.group),
                  .shape = piece.shape(output.shape),
                  .pool = {}};
    const GroupRows& rows = *source.rows;
    const bool padded = output.layout == Layout::kPadded || output.layout == Layout::kPaddedIkjt;
    const bool plain_scalars =
        padded && source.shape.plain && source.shape.entries == 1 && output.width == 1;
    if (!plain_scalars) {
      DSI_ASSIGN_OR_RETURN(source.shape, piece.ShapeArrays(output.shape));
    }
    const ValuesView values = piece.values(output.values);
    source.pool = {.values = values.values,
                   .num_values = values.num_values,
                   .width = static_cast<int>(output.item_size),
                   .starts = values.starts != nullptr ? values.starts : source.shape.starts,
                   .lengths = values.lengths != nullptr ? values.lengths : source.shape.lengths};
    switch (output.layout) {
      case Layout::kPadded:
        FillPadded(source, rows.slots, rows.num_rows, rows.identity, piece.first, place, batch);
        break;
      case Layout::kJagged:
        entries =
            FillJaggedRows(source, rows.slots, rows.identity, piece.first, entries, place, batch);
        MarkPresent(source, rows.slots, rows.num_rows, rows.identity,
                    reinterpret_cast<uint8_t*>(batch->At(place.present)) + piece.first);
        break;
      case Layout::kIkjt:
        entries = FillUnique(source, unique, entries, place, batch);
        break;
      case Layout::kPaddedIkjt:
        FillPadded(source, rows.touched, rows.num_touched(), !rows.scattered, unique, place, batch);
        break;
      case Layout::kVbe:
        entries = FillVbe(source, unique, entries, projection.vbe_lengths, place, batch);
        break;
      case Layout::kDense:
        break;
    }
    unique += rows.num_touched();
  }
  return Status::Ok();
}

}  // namespace dsi::internal
