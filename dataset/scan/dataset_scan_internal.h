// The door from Dataset to the scan.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsi/dataset/dataset_plan.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/order/selected_rows_internal.h"

namespace dsi::internal {

// The dataset must outlive the scan. Errors: kInvalidArgument (options, a state of something else),
// kBadInput (no state at all), kNotFound (names), and those of opening files.
Result<std::unique_ptr<DatasetScan>> MakeDatasetScan(const DatasetFiles& dataset,
                                                     const DatasetScanOptions& options);

// Batches that such a scan hands out, without opening a file.
Result<uint64_t> CountDatasetBatches(const DatasetFiles& dataset,
                                     const DatasetScanOptions& options);

// The state of a scan by one reader of what such a scan hands out, but repetitions.
Result<std::string> ShareDatasetState(const DatasetFiles& dataset,
                                      const DatasetScanOptions& options);

// What such a scan will read. Opens files whose rows may pass, on threads of the dataset.
Result<DatasetPlan> PlanDataset(const DatasetFiles& dataset, const DatasetScanOptions& options);

// Rows that such a scan hands out, all ranks together. Only rows, filter and memory of the options
// count.
Result<uint64_t> CountDatasetRows(const DatasetFiles& dataset, const DatasetScanOptions& options);

// All rows where none are asked for. kInvalidArgument: spans that do not ascend or reach beyond.
Result<std::vector<RowSpan>> RowsOf(const DatasetFiles& dataset,
                                    const std::vector<DatasetRows>& asked);

}  // namespace dsi::internal
