// Columns to rows of a matrix. Included once per Highway target.
//
// Vectors of several columns are shuffled into one another as two halves of a pack of cards: after
// as many rounds as the number of columns has bits, values of one row stand side by side.

#include "dsi/dedup/weave_columns_internal.h"

#include <algorithm>
#include <cstring>

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/weave_columns.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void WeaveScalars(const std::byte* const* columns, size_t num_columns, size_t first_row,
                  size_t num_rows, std::byte* out, size_t row_items) {
  for (size_t i = 0; i < num_columns; ++i) {
    for (size_t row = first_row; row < num_rows; ++row)
      std::memcpy(out + (row * row_items + i) * sizeof(T), columns[i] + row * sizeof(T), sizeof(T));
  }
}

#if HWY_TARGET != HWY_SCALAR

// Columns woven at once: those that fill a vector of 16 bytes, eight at most.
template <typename T>
constexpr size_t kTogether = std::min<size_t>(kWovenColumns, 16 / sizeof(T));

// Of kTogether columns a vector each, which holds so many rows.
template <typename T>
HWY_INLINE void WeaveVectors(const std::byte* const* columns, size_t row, std::byte* out,
                             size_t row_bytes) {
  using D = hn::Full128<T>;
  const D d;
  constexpr size_t kColumns = kTogether<T>;
  constexpr size_t kRows = 16 / sizeof(T);
  hn::Vec<D> v[kColumns];
  for (size_t i = 0; i < kColumns; ++i)
    v[i] = hn::LoadU(d, reinterpret_cast<const T*>(columns[i]) + row);
  for (size_t round = 1; round < kColumns; round *= 2) {
    hn::Vec<D> mixed[kColumns];
    for (size_t i = 0; i < kColumns / 2; ++i) {
      mixed[2 * i] = hn::InterleaveLower(d, v[i], v[i + kColumns / 2]);
      mixed[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kColumns / 2]);
    }
    for (size_t i = 0; i < kColumns; ++i) v[i] = mixed[i];
  }
  out += row * row_bytes;
  if constexpr (kColumns == kRows) {
    for (size_t i = 0; i < kRows; ++i)
      hn::StoreU(v[i], d, reinterpret_cast<T*>(out + i * row_bytes));
  } else {  // A vector holds two rows of eight bytes.
    const hn::Half<D> half;
    for (size_t i = 0; i < kColumns; ++i) {
      std::byte* const to = out + 2 * i * row_bytes;
      hn::StoreU(hn::LowerHalf(half, v[i]), half, reinterpret_cast<T*>(to));
      hn::StoreU(hn::UpperHalf(half, v[i]), half, reinterpret_cast<T*>(to + row_bytes));
    }
  }
}

template <typename T>
void WeaveOf(const std::byte* const* columns, size_t num_columns, size_t num_rows, std::byte* out,
             size_t row_items) {
  if (num_columns != kWovenColumns)
    return WeaveScalars<T>(columns, num_columns, 0, num_rows, out, row_items);
  constexpr size_t kRows = 16 / sizeof(T);
  const size_t whole = num_rows / kRows * kRows;
  for (size_t row = 0; row < whole; row += kRows) {
    for (size_t i = 0; i < kWovenColumns; i += kTogether<T>)
      WeaveVectors<T>(columns + i, row, out + i * sizeof(T), row_items * sizeof(T));
  }
  WeaveScalars<T>(columns, num_columns, whole, num_rows, out, row_items);
}

#else  // Vectors of one value.

template <typename T>
void WeaveOf(const std::byte* const* columns, size_t num_columns, size_t num_rows, std::byte* out,
             size_t row_items) {
  WeaveScalars<T>(columns, num_columns, 0, num_rows, out, row_items);
}

#endif  // HWY_TARGET != HWY_SCALAR

void WeaveColumnsKernel(size_t width, const std::byte* const* columns, size_t num_columns,
                        size_t num_rows, std::byte* out, size_t row_items) {
  switch (width) {
    case 1:
      return WeaveOf<uint8_t>(columns, num_columns, num_rows, out, row_items);
    case 2:
      return WeaveOf<uint16_t>(columns, num_columns, num_rows, out, row_items);
    case 4:
      return WeaveOf<uint32_t>(columns, num_columns, num_rows, out, row_items);
    default:
      return WeaveOf<uint64_t>(columns, num_columns, num_rows, out, row_items);
  }
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(WeaveColumnsKernel);

void WeaveColumns(size_t width, std::span<const std::byte* const> columns, size_t num_rows,
                  std::byte* out, size_t row_items) {
  HWY_DYNAMIC_DISPATCH(WeaveColumnsKernel)
  (width, columns.data(), columns.size(), num_rows, out, row_items);
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
