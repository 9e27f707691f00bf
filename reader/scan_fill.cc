// Second pass over a batch: copies and expansions into the slab. Kernels are those of
// dedup/expand_internal.h.
#include "dsi/reader/scan_fill_internal.h"

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

void MarkPresent(const Source& source, std::span<const uint32_t> slots, uint8_t* present) {
  if (source.shape.plain) {
    std::memset(present, 1, slots.size());
  } else if (source.rows->identity) {
    std::memcpy(present, source.shape.present, slots.size());
  } else {
    for (size_t i = 0; i < slots.size(); ++i) present[i] = source.shape.present[slots[i]];
  }
}

void FillPadded(const Source& source, uint32_t first, const OutputPlace& place, BatchState* batch) {
  const ScanOutput& output = *source.output;
  const GroupRows& rows = *source.rows;
  std::byte* const out =
      batch->At(place.values) + uint64_t{first} * output.width * output.item_size;
  if (source.shape.plain && source.shape.entries == 1 && output.width == 1) {
    if (rows.identity) {
      std::memcpy(out, source.pool.values, size_t{rows.num_rows} * output.item_size);
    } else {
      ExpandScalars(source.pool.values, source.pool.width, rows.slots, out, output.item_size);
    }
  } else {
    const PadOptions options{.row_length = output.width,
                             .pad_bits = output.pad_bits,
                             .pad_left = output.pad_left,
                             .keep_last = output.keep_last};
    if (rows.identity) {
      PadRowRange(source.pool, 0, rows.num_rows, options, out);
    } else {
      PadRows(source.pool, rows.slots, options, out);
    }
  }
  auto* const lengths = reinterpret_cast<int32_t*>(batch->At(place.lengths)) + first;
  if (source.shape.plain) {
    std::fill_n(lengths, rows.num_rows,
                static_cast<int32_t>(std::min(source.shape.entries, output.width)));
  } else if (rows.identity) {
    for (uint32_t i = 0; i < rows.num_rows; ++i)
      lengths[i] = static_cast<int32_t>(std::min(source.shape.lengths[i], output.width));
  } else {
    for (uint32_t i = 0; i < rows.num_rows; ++i)
      lengths[i] =
          static_cast<int32_t>(std::min(source.shape.lengths[rows.slots[i]], output.width));
  }
  MarkPresent(source, rows.slots, reinterpret_cast<uint8_t*>(batch->At(place.present)) + first);
}

// Rows `slots` one after another, from `base` entries on; returns the entries so far.
int64_t FillJaggedRows(const Source& source, std::span<const uint32_t> slots, bool all_in_order,
                       uint64_t first, int64_t base, const OutputPlace& place, BatchState* batch) {
  std::byte* const values =
      batch->At(place.values) + static_cast<uint64_t>(base) * source.output->item_size;
  auto* const offsets = reinterpret_cast<int64_t*>(batch->At(place.offsets)) + first;
  if (!all_in_order) {
    GatherRows(source.pool, slots, values);
    return JaggedOffsets(source.shape.lengths, slots, base, offsets);
  }
  if (source.shape.windows) {
    GatherRowRange(source.pool, source.shape.count, values);
    int64_t at = base;
    for (size_t i = 0; i < source.shape.count; ++i) {
      offsets[i] = at;
      at += source.shape.lengths[i];
    }
    offsets[source.shape.count] = at;
    return at;
  }
  const uint64_t entries = source.shape.end_value - source.shape.first_value;
  if (entries != 0) std::memcpy(values, source.pool.values, entries * source.output->item_size);
  const int64_t end = base + static_cast<int64_t>(entries);
  for (size_t i = 0; i < source.shape.count; ++i)
    offsets[i] = base + static_cast<int64_t>(source.shape.starts[i]);
  offsets[source.shape.count] = end;
  return end;
}

int64_t FillUnique(const Source& source, uint64_t first, int64_t base, const OutputPlace& place,
                   BatchState* batch) {
  const GroupRows& rows = *source.rows;
  auto* const present = reinterpret_cast<uint8_t*>(batch->At(place.present)) + first;
  if (rows.general) {
    MarkPresent(source, rows.touched, present);
    return FillJaggedRows(source, rows.touched, false, first, base, place, batch);
  }
  std::memcpy(present, source.shape.present, rows.num_unique);
  return FillJaggedRows(source, {}, true, first, base, place, batch);
}

void FillInverse(const GroupRows& rows, uint32_t first_unique, int32_t* inverse) {
  const std::span<const uint32_t> places = rows.general ? rows.inverse : rows.slots;
  for (size_t i = 0; i < places.size(); ++i)
    inverse[i] = static_cast<int32_t>(places[i] + first_unique);
}

Status FillOutput(const ScanProjection& projection, uint32_t at, std::span<const BatchPiece> pieces,
                  BatchState* batch) {
  const ScanOutput& output = projection.outputs[at];
  const OutputPlace& place = batch->outputs[at];
  uint64_t unique = 0;
  int64_t entries = 0;
  for (const BatchPiece& piece : pieces) {
    Source source{.output = &output,
                  .rows = &piece.decoder->group(output.group),
                  .shape = piece.decoder->shape(output.shape),
                  .pool = {}};
    const bool plain_scalars = output.layout == Layout::kPadded && source.shape.plain &&
                               source.shape.entries == 1 && output.width == 1;
    if (!plain_scalars) {
      DSI_ASSIGN_OR_RETURN(source.shape, piece.decoder->ShapeArrays(output.shape));
    }
    const ValuesView values = piece.decoder->values(output.values);
    source.pool = {.values = values.values,
                   .num_values = values.num_values,
                   .width = static_cast<int>(output.item_size),
                   .starts = source.shape.starts,
                   .lengths = source.shape.lengths};
    switch (output.layout) {
      case Layout::kPadded:
        FillPadded(source, piece.first, place, batch);
        break;
      case Layout::kJagged:
        entries = FillJaggedRows(source, source.rows->slots, source.rows->identity, piece.first,
                                 entries, place, batch);
        MarkPresent(source, source.rows->slots,
                    reinterpret_cast<uint8_t*>(batch->At(place.present)) + piece.first);
        break;
      case Layout::kIkjt:
        entries = FillUnique(source, unique, entries, place, batch);
        unique += source.rows->num_touched();
        break;
      case Layout::kDense:
        break;
    }
  }
  return Status::Ok();
}

}  // namespace

Status FillBatch(const ScanProjection& projection, std::span<const BatchPiece> pieces,
                 DenseScratch* scratch, BatchState* batch) {
  for (uint32_t i = 0; i < projection.outputs.size(); ++i) {
    if (projection.outputs[i].layout != Layout::kDense)
      DSI_RETURN_IF_ERROR(FillOutput(projection, i, pieces, batch));
  }
  for (uint32_t g = 0; g < projection.groups.size(); ++g) {
    if (!projection.groups[g].want_touched) continue;
    auto* const inverse = reinterpret_cast<int32_t*>(batch->At(batch->inverse[g]));
    uint32_t first_unique = 0;
    for (const BatchPiece& piece : pieces) {
      const GroupRows& rows = piece.decoder->group(g);
      FillInverse(rows, first_unique, inverse + piece.first);
      first_unique += static_cast<uint32_t>(rows.num_touched());
    }
  }
  if (!projection.dense.empty()) {
    for (const BatchPiece& piece : pieces) FillDense(projection, piece, scratch, batch);
  }
  return Status::Ok();
}

}  // namespace dsi::internal
