// Rows that stand for all rows of a file when it is decided which features form groups.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/cluster/row_list_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {

// Positions [first, first + num_rows) of the file.
struct RowInterval {
  uint32_t first = 0;
  uint32_t num_rows = 0;
};

// Rows of a few intervals, as they are held.
struct RowSample {
  std::vector<RowInterval> ranges;     // Ascending, apart from each other.
  std::vector<uint32_t> rows_in_time;  // Places in the sample, oldest first.

  uint32_t num_rows() const { return static_cast<uint32_t>(rows_in_time.size()); }
};

// How many entries each feature has in each of these intervals, which ascend: feature by feature.
using CountEntries =
    std::function<Result<std::vector<uint64_t>>(std::span<const RowInterval> intervals)>;

// At most so many rows, all where there are no more. The first rows, as an owner's rows that follow
// each other in a stripe must do so in the sample; where features have hardly any entries there, as
// those that come later, also rows of which they have many. Looks at up to 4,096 rows in each of 64
// places, wherever the rows are kept. Errors: those of the list and of `count`.
Result<std::vector<RowInterval>> SampleRows(const RowList& rows, const RowLimits& most,
                                            size_t num_features, const CountEntries& count);

}  // namespace dsi::internal
