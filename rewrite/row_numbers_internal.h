// The scan of rows of which only the numbers are wanted.
#pragma once

#include <algorithm>
#include <vector>

#include "dsi/reader/file_info.h"
#include "dsi/reader/row_filter.h"
#include "dsi/reader/scan_options.h"

namespace dsi::internal {

// Of the rows for which all of `where` hold, which is not empty. What is cheapest of all that is
// read anyway: as little of the first predicate's column as there is.
inline ScanOptions RowNumberScan(const std::vector<Predicate>& where,
                                 const std::vector<ColumnInfo>& columns, uint64_t memory_bytes) {
  ScanOptions options;
  options.batch_size = 65'536;
  options.memory_bytes = memory_bytes;
  options.filter.where = where;
  Projection& asked = options.features.emplace_back();
  asked.name = where[0].column;
  const bool is_text = std::any_of(columns.begin(), columns.end(), [&](const ColumnInfo& column) {
    return column.name == asked.name && column.type == Type::kBytes;
  });
  asked.layout = is_text ? Layout::kJagged : Layout::kPadded;
  asked.width = is_text ? 0 : 1;
  return options;
}

}  // namespace dsi::internal
