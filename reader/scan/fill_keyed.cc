// Keys of KeyedJaggedTensors: values once into their place, lengths and offsets of the type asked
// for.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "dsi/reader/scan/fill_source_internal.h"

namespace dsi::internal {
namespace {

// Where rows of a key go, the first of which starts at `start` of all keys' values.
template <typename T>
struct KeyedRows {
  std::byte* values;
  uint64_t room;  // Values that may be written.
  T* lengths;
  T* offsets;
  uint64_t start;
};

// Each row is one number.
template <typename T>
void FillNumbers(const Source& source, const PieceRows& rows, const KeyedRows<T>& out) {
  const uint64_t item_size = source.output->item_size;
  if (!rows.in_order) {
    ExpandScalars(source.pool.values, source.pool.num_values, source.pool.width, rows.slots,
                  out.values);
  } else if (rows.count != 0) {
    std::memcpy(out.values, source.pool.values + rows.first * item_size, rows.count * item_size);
  }
  std::fill_n(out.lengths, rows.count, T{1});
  std::iota(out.offsets, out.offsets + rows.count, static_cast<T>(out.start));
}

// Few rows have entries.
template <typename T>
void FillPresent(const ShapeView& shape, const KeyedRows<T>& out) {
  std::fill_n(out.lengths, shape.count, T{0});
  uint64_t end = out.start;
  size_t done = 0;
  for (const PresentRow& row : shape.rows) {
    const size_t at = row.row - shape.first;
    std::fill(out.offsets + done, out.offsets + at + 1, static_cast<T>(end));
    out.lengths[at] = static_cast<T>(row.length);
    end += row.length;
    done = at + 1;
  }
  std::fill(out.offsets + done, out.offsets + shape.count, static_cast<T>(end));
}

// Rows whose values stand one after another: so many.
template <typename T>
void CopyInOrder(const Source& source, const PieceRows& rows, uint64_t entries,
                 const KeyedRows<T>& out) {
  const ShapeView& shape = source.shape;
  const uint64_t item_size = source.output->item_size;
  const uint64_t begin = shape.sparse || rows.count == 0 ? 0 : shape.starts[rows.first];
  if (entries != 0)
    std::memcpy(out.values, source.pool.values + begin * item_size, entries * item_size);
  if (shape.sparse) return FillPresent(shape, out);
  const uint32_t* const lengths = shape.lengths + rows.first;
  const uint64_t* const starts = shape.starts + rows.first;
  for (size_t i = 0; i < rows.count; ++i) out.lengths[i] = static_cast<T>(lengths[i]);
  for (size_t i = 0; i < rows.count; ++i)
    out.offsets[i] = static_cast<T>(out.start + starts[i] - begin);
}

// Rows that stand anywhere.
template <typename T>
void Gather(const Source& source, const PieceRows& rows, const KeyedRows<T>& out) {
  ValuePool pool = source.pool;
  pool.present = nullptr;
  const JaggedRows to{
      .values = out.values, .room = out.room, .base = static_cast<int64_t>(out.start)};
  GatherInSteps(pool, rows, to, [&](size_t first, size_t count, const int64_t* bounds) {
    for (size_t i = 0; i < count; ++i) {
      out.lengths[first + i] = static_cast<T>(bounds[i + 1] - bounds[i]);
      out.offsets[first + i] = static_cast<T>(bounds[i]);
    }
  });
}

template <typename T>
void FillRows(const Source& source, const PieceRows& rows, const ListPart& part, bool alone,
              const OutputPlace& place, BatchState* batch) {
  const uint64_t item_size = source.output->item_size;
  const KeyedRows<T> out{.values = batch->At(place.values) + part.first_entry * item_size,
                         .room = RoomOf(part, place, alone),
                         .lengths = reinterpret_cast<T*>(batch->At(place.lengths)) + part.first_row,
                         .offsets = reinterpret_cast<T*>(batch->At(place.offsets)) + part.first_row,
                         .start = place.first_value + part.first_entry};
  if (IsOneNumber(*source.output, source.shape)) return FillNumbers(source, rows, out);
  if (source.shape.sparse || (rows.in_order && !source.shape.windows))
    return CopyInOrder(source, rows, part.entries, out);
  Gather(source, rows, out);
}

}  // namespace

void FillKeyed(const Source& source, const PieceRows& rows, const ListPart& part, bool alone,
               Type type, const OutputPlace& place, BatchState* batch) {
  if (type == Type::kInt64) return FillRows<int64_t>(source, rows, part, alone, place, batch);
  FillRows<int32_t>(source, rows, part, alone, place, batch);
}

}  // namespace dsi::internal
