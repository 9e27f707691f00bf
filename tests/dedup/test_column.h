// Builds FeatureRows from readable rows for the tests of this folder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {

// A row: nothing when missing, else its entries.
using TestRow = std::optional<std::vector<uint64_t>>;

// Owns what a FeatureRows points at. Entries are cut to the width of each column; column c of a
// feature holds entry × (c + 1), so that the columns differ.
class TestColumn {
 public:
  TestColumn(const std::vector<TestRow>& rows, uint32_t entries_per_row,
             const std::vector<int>& widths = {8}) {
    values_.resize(widths.size());
    uint64_t start = 0;
    for (const TestRow& row : rows) {
      starts_.push_back(start);
      shape_.push_back(!row                   ? 0
                       : entries_per_row != 0 ? 1
                                              : static_cast<uint32_t>(row->size()) + 1);
      for (const uint64_t entry : row.value_or(std::vector<uint64_t>())) {
        for (size_t c = 0; c < widths.size(); ++c) {
          const uint64_t value = entry * (c + 1);
          const size_t at = values_[c].size();
          values_[c].resize(at + static_cast<size_t>(widths[c]));
          std::memcpy(&values_[c][at], &value, static_cast<size_t>(widths[c]));
        }
        ++start;
      }
    }
    column_.shape = shape_;
    column_.starts = starts_;
    column_.entries_per_row = entries_per_row;
    for (size_t c = 0; c < widths.size(); ++c) {
      column_.values.push_back({values_[c].data(), widths[c]});
    }
  }
  TestColumn(const TestColumn&) = delete;
  TestColumn& operator=(const TestColumn&) = delete;

  const FeatureRows& column() const { return column_; }

  // The row as a string that is equal exactly when the rows are.
  std::string RowText(size_t row) const {
    std::string text = std::to_string(shape_[row]) + ":";
    const size_t entries = shape_[row] == 0               ? 0
                           : column_.entries_per_row != 0 ? column_.entries_per_row
                                                          : shape_[row] - 1;
    for (const FeatureRows::Values& values : column_.values) {
      const size_t width = static_cast<size_t>(values.width);
      text.append(reinterpret_cast<const char*>(values.data) + starts_[row] * width,
                  entries * width);
    }
    return text;
  }

 private:
  std::vector<uint32_t> shape_;
  std::vector<uint64_t> starts_;
  std::vector<std::vector<std::byte>> values_;
  FeatureRows column_;
};

}  // namespace dsi::internal
