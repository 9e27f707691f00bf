// What the options of a scan tell of which rows of a stripe will come.
#pragma once

#include "dsi/dataset/dataset_scan.h"
#include "dsi/dataset/files/dataset_files_internal.h"

namespace dsi::internal {

struct ComingRows {
  // Of the stripes that are read, but perhaps for the first and the last.
  bool all = false;
  // Of the rows that are decoded for them; where a filter compares values, half of them is thought.
  double share = 1;
};

// Of these options, whatever the rank, but for `all`.
ComingRows ComingRowsOf(const DatasetFiles& dataset, const DatasetScanOptions& options);

}  // namespace dsi::internal
