// What the values of each column are, found by reading all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/reader.h"
#include "dsi/tools/column_value_internal.h"
#include "dsi/tools/progress_internal.h"

namespace dsi::tools {

struct ColumnStats {
  ColumnInfo column;
  uint64_t rows = 0;
  uint64_t missing = 0;  // Rows without the feature.
  // Of lists their entries, of strings their bytes; over rows that have the feature.
  uint64_t entries = 0;
  uint64_t min_length = 0;
  uint64_t max_length = 0;
  // Over all entries but NaN; strings, of which each is one, compare as unsigned bytes.
  ColumnValue least;
  ColumnValue greatest;
  uint64_t nan = 0;  // Entries that are NaN, over all rows.
};

// Of all columns, in the order of the file. Each unique row is looked at once in a batch, columns
// some hundred at a time, within the budget of a scan. Columns that this build cannot read are left
// out with a warning. Errors: those of a scan; kCancelled: a signal arrived.
Result<std::vector<ColumnStats>> ReadStats(const Reader& reader, Progress* progress);

}  // namespace dsi::tools
