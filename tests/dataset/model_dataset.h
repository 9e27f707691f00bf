// A dataset of some files beside the table that it is.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/support/random_file.h"
#include "dsi/tests/support/scan_model.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi::test {

inline void WriteBytes(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

inline ModelTable Slice(const ModelTable& table, const std::vector<size_t>& rows) {
  ModelTable slice = table;
  slice.num_rows = rows.size();
  for (size_t c = 0; c < table.columns.size(); ++c) {
    slice.columns[c].rows.clear();
    for (const size_t row : rows) slice.columns[c].rows.push_back(table.columns[c].rows[row]);
  }
  return slice;
}

// Leaves a column of a feature out.
inline void DropColumn(const std::string& feature, const std::string& column, ModelTable* table) {
  for (FeatureSpec& spec : table->schema.features) {
    if (spec.name == feature)
      std::erase_if(spec.columns, [&](const ColumnSpec& known) { return known.name == column; });
  }
  std::erase_if(table->columns,
                [&](const ModelColumn& known) { return known.name == feature + "." + column; });
}

// DS-026: what stands in the entries of a column where a file lacks it.
inline uint64_t BlankEntry(const Schema& schema, const ModelColumn& column) {
  for (const FeatureSpec& feature : schema.features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      if (feature.columns[c].hashed && ColumnName(feature, c) == column.name)
        return IdOfText("", column.type);
    }
  }
  return IsFloat(column.type) ? UnfilledBits(Kind::kDense, column.type) : 0;
}
inline void FillRow(uint64_t entry, std::optional<std::vector<uint64_t>>* row) {
  if (row->has_value()) std::fill((*row)->begin(), (*row)->end(), entry);
}

// What a copy of the features keeps: the ids that they have in files.
inline void SetIds(const Dataset& dataset, ModelTable* table) {
  const auto columns = dataset.Columns();
  ASSERT_TRUE(columns.ok()) << columns.status().ToString();
  for (FeatureSpec& feature : table->schema.features) {
    for (const ColumnInfo& column : *columns) {
      if (column.feature == feature.name) feature.id = column.feature_id;
    }
  }
}

inline std::vector<std::byte> ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// Files made of runs of a table's rows, each clustered by itself, and the rows in the order of the
// dataset.
struct ModelDataset {
  TempFolder folder;
  ModelTable table;
  std::unique_ptr<Dataset> dataset;

  ModelDataset(const ModelTable& input, size_t num_files, uint32_t stripe_rows) {
    std::vector<size_t> all;
    for (size_t f = 0; f < num_files; ++f) {
      std::vector<size_t> rows;
      for (size_t row = input.num_rows * f / num_files; row < input.num_rows * (f + 1) / num_files;
           ++row)
        rows.push_back(row);
      const ModelTable slice = Slice(input, rows);
      WriterOptions options;
      options.cluster_by = {"session_id", "time"};
      options.stripe_rows = stripe_rows;
      options.page_values = 1024;
      WriteBytes(folder.File("part-" + std::to_string(f) + ".dsi"), WriteRows(slice, options));
      for (const size_t row : ClusteredOrder(slice, options.cluster_by)) all.push_back(rows[row]);
    }
    table = Slice(input, all);
    auto opened = Dataset::Open(folder.path());
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    if (opened.ok()) dataset = std::move(*opened);
  }
};

}  // namespace dsi::test
