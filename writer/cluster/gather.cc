#include "dsi/writer/cluster/gather_internal.h"

#include <cstring>

#include "dsi/dedup/row_compare_internal.h"

namespace dsi::internal {
namespace {

size_t EntriesOfRow(const FeatureSlice& slice, uint32_t row) {
  return EntriesOf(slice, ShapeOf(slice, row));
}

// Calls visit(row) for every stored row.
template <typename Visit>
void ForEachRow(const FeatureSlice& slice, const std::vector<uint32_t>& stored_rows,
                const Visit& visit) {
  if (stored_rows.empty()) {
    for (uint32_t row = 0; row < slice.num_rows; ++row) visit(row);
  } else {
    for (const uint32_t row : stored_rows) visit(row);
  }
}

// Scalars: one load and store per row.
template <typename T>
void GatherScalars(const FeatureSlice& slice, const std::byte* data,
                   const std::vector<uint32_t>& stored_rows, std::vector<std::byte>* out) {
  out->resize((stored_rows.empty() ? slice.num_rows : stored_rows.size()) * sizeof(T));
  std::byte* dst = out->data();
  ForEachRow(slice, stored_rows, [&](uint32_t row) {
    if (ShapeOf(slice, row) == 0) return;
    std::memcpy(dst, data + StartOf(slice, row) * sizeof(T), sizeof(T));
    dst += sizeof(T);
  });
  out->resize(static_cast<size_t>(dst - out->data()));
}

void GatherLists(const FeatureSlice& slice, const FeatureRows::Values& values,
                 const std::vector<uint32_t>& stored_rows, std::vector<std::byte>* out) {
  const auto width = static_cast<size_t>(values.width);
  out->resize(CountValues(slice, stored_rows) * width);
  std::byte* dst = out->data();
  ForEachRow(slice, stored_rows, [&](uint32_t row) {
    const size_t size = EntriesOfRow(slice, row) * width;
    if (size != 0) std::memcpy(dst, values.data + StartOf(slice, row) * width, size);
    dst += size;
  });
}

}  // namespace

std::vector<uint32_t> GatherShape(const FeatureSlice& slice,
                                  const std::vector<uint32_t>& stored_rows) {
  const size_t num_stored = stored_rows.empty() ? slice.num_rows : stored_rows.size();
  if (slice.shape.empty()) return std::vector<uint32_t>(num_stored, 1);
  if (stored_rows.empty()) return {slice.shape.begin(), slice.shape.end()};
  std::vector<uint32_t> shape;
  shape.reserve(num_stored);
  for (const uint32_t row : stored_rows) shape.push_back(slice.shape[row]);
  return shape;
}

uint64_t CountValues(const FeatureSlice& slice, const std::vector<uint32_t>& stored_rows) {
  if (slice.shape.empty()) {
    return uint64_t{slice.entries_per_row} *
           (stored_rows.empty() ? slice.num_rows : stored_rows.size());
  }
  uint64_t total = 0;
  ForEachRow(slice, stored_rows, [&](uint32_t row) { total += EntriesOfRow(slice, row); });
  return total;
}

std::vector<std::byte> GatherValues(const FeatureSlice& slice, size_t column,
                                    const std::vector<uint32_t>& stored_rows) {
  const FeatureRows::Values& values = slice.values[column];
  std::vector<std::byte> out;
  if (stored_rows.empty() && slice.in_a_row && slice.num_rows != 0) {
    const auto width = static_cast<size_t>(values.width);
    const std::byte* const begin = values.data + StartOf(slice, 0) * width;
    out.assign(begin, begin + CountValues(slice, {}) * width);
    return out;
  }
  if (slice.entries_per_row != 1) {
    GatherLists(slice, values, stored_rows, &out);
    return out;
  }
  switch (values.width) {
    case 1:
      GatherScalars<uint8_t>(slice, values.data, stored_rows, &out);
      break;
    case 2:
      GatherScalars<uint16_t>(slice, values.data, stored_rows, &out);
      break;
    case 4:
      GatherScalars<uint32_t>(slice, values.data, stored_rows, &out);
      break;
    default:
      GatherScalars<uint64_t>(slice, values.data, stored_rows, &out);
      break;
  }
  return out;
}

std::vector<std::byte> GatherPieces(const FeatureSlice& slice, size_t column, uint64_t most) {
  constexpr uint32_t kPieceRows = 64;
  const uint64_t entries = CountValues(slice, {});
  if (entries <= most) return GatherValues(slice, column, {});
  const uint32_t num_pieces = (slice.num_rows - 1) / kPieceRows + 1;
  const uint64_t step = (entries - 1) / most + 1;
  std::vector<uint32_t> rows;
  for (uint64_t piece = 0; piece < num_pieces; piece += step) {
    for (uint32_t i = 0; i < kPieceRows; ++i) {
      const uint64_t row = piece * kPieceRows + i;
      if (row < slice.num_rows) rows.push_back(static_cast<uint32_t>(row));
    }
  }
  return GatherValues(slice, column, rows);
}

ArrayView ViewOf(const std::vector<std::byte>& values, Type type) {
  const int width = TypeWidth(type);
  return {.values = values.data(),
          .count = values.size() / static_cast<size_t>(width),
          .width = width,
          .is_float = IsFloat(type)};
}

}  // namespace dsi::internal
