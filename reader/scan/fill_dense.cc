// Dense matrices: columns come out of the file one by one, rows go into the matrix. A block of
// columns is made ready row by row and then woven in, so that each line of the matrix is touched
// few times.
#include <algorithm>
#include <cstring>

#include "dsi/dedup/expand_internal.h"
#include "dsi/dedup/weave_columns_internal.h"
#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kBlockRows = 256;  // A block's columns stay in the first-level cache.

// One value per row of [first, first + count) of the piece; missing ones are the fill.
const std::byte* ColumnRows(const ScanOutput& output, const BatchPiece& piece, uint32_t first,
                            uint32_t count, std::byte* room) {
  const GroupRows& rows = piece.group(output.group);
  const ShapeView& shape = piece.shape(output.shape);
  const ValuesView values = piece.values(output.values);
  const std::span<const uint32_t> slots = rows.slots.subspan(first, count);
  const int width = static_cast<int>(output.item_size);
  if (shape.plain && rows.identity) return values.values + size_t{first} * output.item_size;
  if (shape.plain) {
    ExpandScalars(values.values, values.num_values, width, slots, room);
    return room;
  }
  PadRows(ValuePoolOf(values, shape, output.item_size), slots,
          {.row_length = 1, .pad_bits = output.pad_bits}, {.values = room});
  return room;
}

const std::byte* PresentRows(const ScanOutput& output, const BatchPiece& piece, uint32_t first,
                             uint32_t count, const uint8_t* ones, uint8_t* room) {
  const ShapeView& shape = piece.shape(output.shape);
  const GroupRows& rows = piece.group(output.group);
  if (shape.plain) return reinterpret_cast<const std::byte*>(ones);
  for (uint32_t i = 0; i < count; ++i) room[i] = shape.present[rows.slots[first + i]];
  return reinterpret_cast<const std::byte*>(room);
}

// Rows [begin, end) of the piece.
void FillPiece(const ScanProjection& projection, uint32_t at, const BatchPiece& piece,
               uint32_t begin, uint32_t end, DenseScratch* scratch, BatchState* batch) {
  const ScanSet& set = projection.sets[at];
  const SetPlace& place = batch->sets[at];
  const size_t num_columns = set.outputs.size();
  const auto item_size = static_cast<size_t>(TypeWidth(set.dtype));
  scratch->columns.resize(kWovenColumns * kBlockRows * sizeof(uint64_t));
  scratch->present.resize((kWovenColumns + 1) * kBlockRows);
  uint8_t* const ones = scratch->present.data() + kWovenColumns * kBlockRows;
  std::memset(ones, 1, kBlockRows);
  // Where no value is missing the mask needs no weaving.
  const bool all_present = std::all_of(
      set.outputs.begin(), set.outputs.end(),
      [&](uint32_t output) { return piece.shape(projection.outputs[output].shape).plain; });
  if (all_present) {
    std::memset(batch->At(place.present) + (uint64_t{piece.first} + begin) * num_columns, 1,
                uint64_t{end - begin} * num_columns);
  }

  for (uint32_t first = begin; first < end; first += kBlockRows) {
    const uint32_t count = std::min(kBlockRows, end - first);
    const uint64_t row = uint64_t{piece.first} + first;
    for (size_t next = 0; next < num_columns; next += kWovenColumns) {
      // As many as are woven at once, if there are so many: some are woven twice then.
      const size_t in_block = std::min(kWovenColumns, num_columns);
      const size_t block = std::min(next, num_columns - in_block);
      const std::byte* columns[kWovenColumns];
      const std::byte* present[kWovenColumns];
      for (size_t i = 0; i < in_block; ++i) {
        const ScanOutput& output = projection.outputs[set.outputs[block + i]];
        columns[i] = ColumnRows(output, piece, first, count,
                                scratch->columns.data() + i * kBlockRows * sizeof(uint64_t));
        if (all_present) continue;
        present[i] = PresentRows(output, piece, first, count, ones,
                                 scratch->present.data() + i * kBlockRows);
      }
      const uint64_t cell = row * num_columns + block;
      WeaveColumns(item_size, {columns, in_block}, count,
                   batch->At(place.values) + cell * item_size, num_columns);
      if (!all_present)
        WeaveColumns(1, {present, in_block}, count, batch->At(place.present) + cell, num_columns);
    }
  }
}

}  // namespace

void FillDense(const ScanProjection& projection, uint32_t set, std::span<const BatchPiece> pieces,
               uint32_t begin, uint32_t end, DenseScratch* scratch, BatchState* batch) {
  for (const BatchPiece& piece : pieces) {
    const uint32_t from = std::max(begin, piece.first);
    const uint32_t to = std::min(end, piece.first + piece.num_rows);
    if (from < to)
      FillPiece(projection, set, piece, from - piece.first, to - piece.first, scratch, batch);
  }
}

}  // namespace dsi::internal
