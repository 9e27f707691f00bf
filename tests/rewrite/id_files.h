// Files of rows that have ids, names of these, and lists of them and their squares.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset_scan.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/writer/writer.h"

namespace dsi::test {

inline Schema ScoreSchema() {
  Schema schema;
  schema.features = {OneColumn("id", Kind::kKey, Type::kInt64),
                     OneColumn("name", Kind::kString, Type::kBytes),
                     OneColumn("more", Kind::kList, Type::kInt64)};
  return schema;
}

// A file of rows that have these ids, in their names as well, and lists of ids and their squares.
inline std::vector<std::byte> IdFile(const std::vector<int64_t>& ids, const Schema& schema,
                                     uint32_t stripe_rows = 1 << 18,
                                     std::optional<OverlayBinding> overlay = {}) {
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.stripe_rows = stripe_rows;
  options.overlay = std::move(overlay);
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "ids"), schema, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (const int64_t id : ids) {
    for (uint32_t f = 0; f < schema.features.size(); ++f) {
      const FeatureSpec& feature = schema.features[f];
      const std::vector<int64_t> two = {id, id * id};
      if (feature.kind == Kind::kList) {
        EXPECT_TRUE(rows.SetInts(f, 0, two).ok());
      } else if (feature.columns[0].type == Type::kBytes) {
        EXPECT_TRUE(rows.SetBytes(f, "n" + std::to_string(id)).ok());
      } else {
        EXPECT_TRUE(rows.SetInt(f, id).ok());
      }
    }
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return bytes;
}

inline std::vector<int64_t> Ids(int64_t count) {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

// The lists of a column, row by row.
inline std::vector<ModelRow> Lists(const Dataset& dataset, const std::string& column) {
  DatasetScanOptions options;
  options.scan.features = {{.name = column, .layout = Layout::kJagged}};
  const auto scan = dataset.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<ModelRow> rows;
  if (!scan.ok()) return rows;
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) return rows;
    const auto view = RowsOf(*batch.Jagged(column));
    rows.insert(rows.end(), view.begin(), view.end());
  }
}

inline ModelRow ListOf(int64_t id) {
  return std::vector<uint64_t>{static_cast<uint64_t>(id), static_cast<uint64_t>(id * id)};
}

}  // namespace dsi::test
