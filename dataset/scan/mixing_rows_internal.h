// How many rows a mixing window has that is stated in bytes.
#pragma once

#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/order/selected_rows_internal.h"

namespace dsi::internal {

// The order of a scan with its window in rows (OrderOptions::mixing_bytes): those of the state
// where there is one. `rows`: those asked for. Errors: those of NewScan.
Result<OrderOptions> SettleOrder(const DatasetFiles& dataset, const DatasetScanOptions& options,
                                 const std::vector<RowSpan>& rows);

}  // namespace dsi::internal
