// Encodes the rows of one stripe: every stream of the file's layout, by slot.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dsi/format/statistics_internal.h"
#include "dsi/writer/layout/file_layout_internal.h"
#include "dsi/writer/encode/index_encoder_internal.h"
#include "dsi/writer/encode/stream_encoder_internal.h"

namespace dsi::internal {

struct StripeOptions {
  uint32_t page_values = 65'536;
  int threads = 1;
  bool dedup = true;
  int time_feature = -1;  // That tells the time of rows (spec D-006); -1: none.
  StreamTuning tuning;
  PlanMemory* plans = nullptr;  // Of the file.
  bool is_first = true;         // Of its stripes.
};

struct EncodedStripe {
  std::vector<StripeGroupRecord> groups;
  std::vector<EncodedStream> streams;        // By slot.
  std::vector<ColumnStatistics> statistics;  // By feature; unset where it has none.
  double encode_seconds = 0;                 // Of all threads.
};

// Encodes rows [first, first + num_rows) of those that the features know; `rows_in_time` are their
// places, oldest first. Deterministic at any number of threads. `poll` may cancel.
Result<EncodedStripe> EncodeStripe(const FileLayout& layout,
                                   std::span<const ClusteredFeature> features,
                                   std::span<const uint32_t> rows_in_time, const RowInterval& rows,
                                   const StripeOptions& options,
                                   const std::function<Status()>& poll);

}  // namespace dsi::internal
