// Holds a batch against the model of plain rows, column by column, in every layout.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/random_file.h"

namespace dsi::test {

class BatchChecker {
 public:
  BatchChecker(const ModelTable& table, const Batch& batch)
      : table_(table), batch_(batch), rows_(FileRows(batch)) {}

  void Check(const Projection& asked) {
    const ModelColumn& column = table_.Column(asked.name);
    const Type dtype = asked.dtype.value_or(column.type);
    std::vector<ModelRow> expected;
    for (const uint64_t row : rows_) {
      expected.push_back(column.rows[row]);
      if (!expected.back().has_value()) continue;
      for (uint64_t& bits : *expected.back()) bits = *ConvertModel(bits, column.type, dtype);
    }
    switch (asked.layout) {
      case Layout::kJagged: {
        const auto view = batch_.Jagged(asked.name);
        ASSERT_TRUE(view.ok()) << view.status().ToString();
        ASSERT_EQ(view->dtype, dtype);
        ASSERT_EQ(RowsOf(*view), expected);
        break;
      }
      case Layout::kIkjt: {
        const auto view = batch_.Ikjt(asked.name);
        ASSERT_TRUE(view.ok()) << view.status().ToString();
        ASSERT_EQ(view->unique.dtype, dtype);
        ASSERT_EQ(Expand(RowsOf(view->unique), view->inverse, rows_.size()), expected);
        break;
      }
      case Layout::kPadded: {
        const auto view = batch_.Padded(asked.name);
        ASSERT_TRUE(view.ok()) << view.status().ToString();
        ASSERT_EQ(PaddedRows(*view, asked), Cut(expected, asked, view->width));
        break;
      }
      case Layout::kPaddedIkjt: {
        const auto view = batch_.PaddedIkjt(asked.name);
        ASSERT_TRUE(view.ok()) << view.status().ToString();
        ASSERT_EQ(Expand(PaddedRows(view->unique, asked), view->inverse, rows_.size()),
                  Cut(expected, asked, view->unique.width));
        break;
      }
      case Layout::kVbe: {
        const auto view = batch_.Vbe(asked.set);
        ASSERT_TRUE(view.ok()) << view.status().ToString();
        ASSERT_EQ(view->dtype, dtype);
        const size_t f = KeyOf(*view, asked.name);
        ASSERT_LT(f, view->keys.size());
        ASSERT_EQ(Expand(RowsOf(*view, f), view->inverse_indices + f * rows_.size(), rows_.size()),
                  NoneMissing(expected));
        break;
      }
      case Layout::kKjt: {
        const auto view = batch_.Kjt(asked.set);
        ASSERT_TRUE(view.ok()) << view.status().ToString();
        ASSERT_EQ(view->dtype, dtype);
        ASSERT_EQ(view->rows, rows_.size());
        const size_t f = KeyOf(*view, asked.name);
        ASSERT_LT(f, view->keys.size());
        ASSERT_EQ(RowsOf(*view, f), NoneMissing(expected));
        break;
      }
      case Layout::kDense:
        CheckDense(asked, expected);
        ++next_dense_[asked.set];
        break;
    }
  }

 private:
  // What is left of each row, in the width of the batch.
  std::vector<ModelRow> Cut(std::vector<ModelRow> rows, const Projection& asked, size_t width) {
    EXPECT_TRUE(asked.width == 0 || asked.width == width);
    for (ModelRow& row : rows) {
      if (!row.has_value() || row->size() <= width) continue;
      if (asked.keep == Keep::kFirst) {
        row->resize(width);
      } else {
        row->erase(row->begin(), row->end() - static_cast<ptrdiff_t>(width));
      }
    }
    return rows;
  }

  std::vector<ModelRow> PaddedRows(const PaddedView& view, const Projection& asked) {
    EXPECT_EQ(view.dtype, asked.dtype.value_or(table_.Column(asked.name).type));
    const Kind kind = table_.Column(asked.name).kind;
    const uint64_t pad = asked.pad_value ? OneOf(view.dtype) : UnfilledBits(kind, view.dtype);
    std::vector<ModelRow> rows;
    for (size_t i = 0; i < view.rows; ++i) {
      const std::vector<uint64_t> all =
          LoadRange(view.values, i * view.width, view.width, view.dtype);
      const auto length = static_cast<size_t>(view.lengths[i]);
      EXPECT_LE(length, view.width);
      const size_t begin = asked.pad == Side::kLeft ? view.width - length : 0;
      for (size_t k = 0; k < view.width; ++k) {
        if (k < begin || k >= begin + length) {
          EXPECT_EQ(all[k], pad) << "row " << i;
        }
      }
      rows.emplace_back();
      if (view.present[i] != 0) {
        const auto from = all.begin() + static_cast<ptrdiff_t>(begin);
        rows.back().emplace(from, from + static_cast<ptrdiff_t>(length));
      }
      EXPECT_TRUE(view.present[i] != 0 || length == 0);
    }
    return rows;
  }

  static uint64_t OneOf(Type type) {
    if (type == Type::kFloat32) return std::bit_cast<uint32_t>(1.0F);
    if (type == Type::kFloat64) return std::bit_cast<uint64_t>(1.0);
    return 1;
  }

  void CheckDense(const Projection& asked, const std::vector<ModelRow>& expected) {
    const auto view = batch_.Dense(asked.set);
    ASSERT_TRUE(view.ok()) << view.status().ToString();
    ASSERT_EQ(view->dtype, *asked.dtype);
    const size_t column = next_dense_[asked.set];
    ASSERT_LT(column, view->columns);
    for (size_t i = 0; i < rows_.size(); ++i) {
      const size_t at = i * view->columns + column;
      ASSERT_EQ(view->present[at] != 0, expected[i].has_value());
      if (expected[i].has_value()) {
        ASSERT_EQ(LoadBits(view->values, at, TypeWidth(view->dtype)), expected[i]->front())
            << "row " << rows_[i];
      }
    }
  }

  const ModelTable& table_;
  const Batch& batch_;
  std::vector<uint64_t> rows_;
  std::map<std::string, size_t> next_dense_;  // By set.
};

}  // namespace dsi::test
