// Where a row's entries lie, and equality of two rows, inlined for the loops that compare millions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {

// The shape code of a row; a column without shapes has only present rows.
inline uint32_t ShapeOf(const FeatureRows& column, size_t row) {
  return column.shape.empty() ? 1 : column.shape[row];
}

// How many entries a row of this shape code has.
inline size_t EntriesOf(const FeatureRows& column, uint32_t shape) {
  if (shape == 0) return 0;
  return column.entries_per_row != 0 ? column.entries_per_row : shape - 1;
}

inline uint64_t StartOf(const FeatureRows& column, size_t row) {
  return column.starts.empty() ? uint64_t{row} * column.entries_per_row : column.starts[row];
}

// Calls `visit` with a comparer (a, b) -> bool made for this column. Scalars of one column are what
// most features are, so their comparison is one load and one compare; everything else is memcmp.
template <typename Visit>
auto WithRowComparer(const FeatureRows& column, Visit&& visit) {
  const auto scalar = [&]<typename T>(T) {
    const std::byte* data = column.values[0].data;
    return visit([&column, data](size_t a, size_t b) {
      const uint32_t shape = ShapeOf(column, a);
      if (shape != ShapeOf(column, b)) return false;
      if (shape == 0) return true;
      T x;
      T y;
      std::memcpy(&x, data + StartOf(column, a) * sizeof(T), sizeof(T));
      std::memcpy(&y, data + StartOf(column, b) * sizeof(T), sizeof(T));
      return x == y;
    });
  };
  if (column.entries_per_row == 1 && column.values.size() == 1) {
    switch (column.values[0].width) {
      case 1:
        return scalar(uint8_t{});
      case 2:
        return scalar(uint16_t{});
      case 4:
        return scalar(uint32_t{});
      default:
        return scalar(uint64_t{});
    }
  }
  return visit([&column](size_t a, size_t b) {
    const uint32_t shape = ShapeOf(column, a);
    if (shape != ShapeOf(column, b)) return false;
    const size_t entries = EntriesOf(column, shape);
    if (entries == 0) return true;
    const uint64_t start_a = StartOf(column, a);
    const uint64_t start_b = StartOf(column, b);
    if (start_a == start_b) return true;
    for (const FeatureRows::Values& values : column.values) {
      const size_t width = static_cast<size_t>(values.width);
      if (std::memcmp(values.data + start_a * width, values.data + start_b * width,
                      entries * width) != 0) {
        return false;
      }
    }
    return true;
  });
}

}  // namespace dsi::internal
