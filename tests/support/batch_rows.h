// What a batch says about each of its rows, entry by entry, whatever the layout.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/support/scan_model.h"

namespace dsi::test {

using ModelRow = std::optional<std::vector<uint64_t>>;

inline uint64_t LoadBits(const void* values, size_t index, int width) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const std::byte*>(values) + index * static_cast<size_t>(width),
              static_cast<size_t>(width));
  return bits;
}

inline std::vector<uint64_t> LoadRange(const void* values, size_t begin, size_t count, Type type) {
  std::vector<uint64_t> entries;
  for (size_t i = begin; i < begin + count; ++i)
    entries.push_back(LoadBits(values, i, TypeWidth(type)));
  return entries;
}

inline std::vector<ModelRow> RowsOf(const JaggedView& view) {
  std::vector<ModelRow> rows;
  for (size_t i = 0; i < view.rows; ++i) {
    rows.emplace_back();
    const auto begin = static_cast<size_t>(view.offsets[i]);
    const auto end = static_cast<size_t>(view.offsets[i + 1]);
    if (view.present[i] != 0) rows.back() = LoadRange(view.values, begin, end - begin, view.dtype);
    EXPECT_TRUE(view.present[i] != 0 || begin == end);
  }
  return rows;
}

// Rows padded at the right; what lies behind a row's entries must be the pad.
inline std::vector<ModelRow> RowsOf(const PaddedView& view, uint64_t pad_bits) {
  std::vector<ModelRow> rows;
  for (size_t i = 0; i < view.rows; ++i) {
    rows.emplace_back();
    std::vector<uint64_t> entries = LoadRange(view.values, i * view.width, view.width, view.dtype);
    const auto length = static_cast<size_t>(view.lengths[i]);
    for (size_t k = length; k < view.width; ++k) EXPECT_EQ(entries[k], pad_bits);
    entries.resize(length);
    if (view.present[i] != 0) rows.back() = std::move(entries);
    EXPECT_TRUE(view.present[i] != 0 || length == 0);
  }
  return rows;
}

// Rows [first, first + count) of all keys of a KeyedJaggedTensor, which are those of key `f`; a
// missing one is as an empty one. Lengths and offsets must agree.
template <typename View>
std::vector<ModelRow> KeyRows(const View& view, size_t f, size_t first, size_t count) {
  const int width = TypeWidth(view.lengths_dtype);
  std::vector<ModelRow> rows;
  auto at = static_cast<size_t>(view.offset_per_key[f]);
  for (size_t row = first; row < first + count; ++row) {
    const size_t length = LoadBits(view.lengths, row, width);
    EXPECT_EQ(LoadBits(view.offsets, row, width), at) << "row " << row;
    rows.emplace_back(LoadRange(view.values, at, length, view.dtype));
    at += length;
  }
  EXPECT_EQ(LoadBits(view.offsets, first + count, width), at);
  EXPECT_EQ(at, static_cast<size_t>(view.offset_per_key[f + 1]));
  EXPECT_EQ(view.length_per_key[f], view.offset_per_key[f + 1] - view.offset_per_key[f]);
  EXPECT_EQ(view.offset_per_key[0], 0);
  EXPECT_EQ(view.offset_per_key[view.keys.size()], static_cast<int64_t>(view.num_values));
  return rows;
}

// Unique rows of key `f`.
inline std::vector<ModelRow> RowsOf(const VbeView& view, size_t f) {
  size_t slot = 0;
  for (size_t i = 0; i < f; ++i) slot += static_cast<size_t>(view.stride_per_key[i]);
  return KeyRows(view, f, slot, static_cast<size_t>(view.stride_per_key[f]));
}

// Batch rows of key `f`.
inline std::vector<ModelRow> RowsOf(const KjtView& view, size_t f) {
  return KeyRows(view, f, f * view.rows, view.rows);
}

// Position of a key; more than there are, where it is not one.
template <typename View>
size_t KeyOf(const View& view, const std::string& name) {
  return static_cast<size_t>(std::find(view.keys.begin(), view.keys.end(), name) -
                             view.keys.begin());
}

// As a KeyedJaggedTensor has them: missing rows are empty ones.
inline std::vector<ModelRow> NoneMissing(std::vector<ModelRow> rows) {
  for (ModelRow& row : rows) row = row.value_or(std::vector<uint64_t>());
  return rows;
}

template <typename Index>
std::vector<ModelRow> Expand(const std::vector<ModelRow>& unique, const Index* inverse,
                             size_t num_rows) {
  std::vector<ModelRow> rows;
  for (size_t i = 0; i < num_rows; ++i) {
    EXPECT_LT(static_cast<size_t>(inverse[i]), unique.size());
    rows.push_back(unique.at(static_cast<size_t>(inverse[i])));
  }
  return rows;
}

// Which row of the file each row of the batch is.
inline std::vector<uint64_t> FileRows(const Batch& batch) {
  const auto numbers = batch.row_numbers();
  std::vector<uint64_t> rows(numbers.begin(), numbers.end());
  for (size_t i = 0; numbers.empty() && i < batch.num_rows(); ++i)
    rows.push_back(batch.first_row() + i);
  EXPECT_EQ(rows.size(), batch.num_rows());
  return rows;
}

// Numbers `ids` by first use.
inline std::vector<int64_t> ByFirstUse(const std::vector<int64_t>& ids) {
  std::vector<int64_t> numbers;
  std::vector<int64_t> seen;
  for (const int64_t id : ids) {
    const auto at = std::find(seen.begin(), seen.end(), id);
    numbers.push_back(at - seen.begin());
    if (at == seen.end()) seen.push_back(id);
  }
  return numbers;
}

}  // namespace dsi::test
