// Which rows of damaged files can be read, and which features of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/rewrite/copy_rows_internal.h"

namespace dsi::internal {

// Rows that follow each other, of which the same features can be read.
struct ReadableRows {
  DatasetRows rows;                // Of the dataset, within one file.
  uint32_t file = 0;               // That file.
  std::vector<size_t> unreadable;  // Features of the plan, ascending.
  Status why = Status::Ok();       // Of the first of them.
};

// All rows of the dataset of `copy`, in their order, cut where that changes; `copy.progress` is
// told of rows that were tried. Errors that are no damage end it.
Result<std::vector<ReadableRows>> FindReadableRows(const RowCopy& copy);

}  // namespace dsi::internal
