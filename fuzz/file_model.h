// The rows of a small file as the model of the tests holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dsi/fuzz/read_batches.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/support/scan_model.h"

namespace dsi::fuzz {

// Of a file whose rows are one batch.
inline test::ModelTable ModelOf(const Reader& reader) {
  test::ModelTable table;
  table.num_rows = reader.info().num_rows;
  const auto columns = reader.Columns();
  for (const ColumnInfo& column : *columns) {
    const auto scan =
        reader.NewScan({.features = {{.name = column.name, .layout = Layout::kJagged}}});
    Batch batch;
    if (!scan.ok() || !(*scan)->Next(&batch).ok()) Disagree("cannot read " + column.name);
    const auto view = batch.Jagged(column.name);
    const auto width = static_cast<size_t>(TypeWidth(column.type));
    const auto* const values = static_cast<const std::byte*>(view->values);
    test::ModelColumn made{
        .name = column.name, .kind = column.kind, .type = column.type, .rows = {}};
    made.rows.resize(view->rows);
    for (size_t row = 0; row < view->rows; ++row) {
      if (view->present[row] == 0) continue;
      std::vector<uint64_t>& entries = made.rows[row].emplace();
      for (int64_t at = view->offsets[row]; at < view->offsets[row + 1]; ++at) {
        entries.push_back(0);
        std::memcpy(&entries.back(), values + static_cast<size_t>(at) * width, width);
      }
    }
    table.columns.push_back(std::move(made));
  }
  return table;
}

}  // namespace dsi::fuzz
