// What an order does to the batches: how mixed they are, and what that costs.
#pragma once

#include <cstdint>
#include <functional>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"

namespace dsi {

// Means over the batches looked at. What it is held against is the same batches made of rows in the
// order of the files, and of rows drawn at random from all that were looked at.
struct ShuffleReport {
  uint64_t batches = 0;
  uint64_t rows = 0;
  uint64_t mixing_rows = 0;       // At a time (OrderOptions); 0: none.
  double sessions_per_batch = 0;  // Distinct ones. 0: the files have no sessions.
  double sessions_in_file_order = 0;
  double sessions_at_random = 0;  // Expected in as many rows drawn at random.
  double sessions_cut = 0;  // Of those in a batch, the share whose rows lie in several batches.
  // Rows of a batch that are not the first of their session in it.
  double collisions = 0;
  double collisions_at_random = 0;
  // Standard deviation between batches of the mean of the first label, over what chance would give:
  // 1 is as good as random. 0: no label.
  double label_drift = 0;
  double label_drift_in_file_order = 0;
  // Entries of all rows over those of unique rows of a batch, of all lists read.
  double dedup_factor = 0;
  double dedup_factor_in_file_order = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_in_file_order = 0;
  double seconds = 0;  // Of the scan alone.
  double seconds_in_file_order = 0;
};

// Scans all batches of the rank twice, in the order asked for and in that of the files; at most
// `max_batches` (0: all) of each. Features: their lists as IKJT, whatever the layout; none: all
// lists. `progress`, where it is given, is called after each batch with those done and all; false:
// kCancelled.
DSI_EXPORT Result<ShuffleReport> ReportShuffle(
    const Dataset& dataset, const DatasetScanOptions& options, uint64_t max_batches = 0,
    const std::function<bool(uint64_t, uint64_t)>& progress = {});

}  // namespace dsi
