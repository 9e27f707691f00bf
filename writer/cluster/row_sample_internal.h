// Rows that stand for all rows of a file when it is decided which features form groups.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {

// Positions [first, first + num_rows) of the file.
struct RowInterval {
  uint32_t first = 0;
  uint32_t num_rows = 0;
};

struct RowSample {
  std::vector<RowInterval> ranges;     // Ascending, apart from each other.
  std::vector<uint64_t> input_entry;   // RowOrder::input_entry of its rows.
  std::vector<uint32_t> rows_in_time;  // Places in the sample, oldest first.

  uint32_t num_rows() const { return static_cast<uint32_t>(input_entry.size()); }
};

// About how many entries a feature has in a range of rows.
using CountEntries = std::function<uint64_t(size_t feature, const RowInterval& range)>;

// At most `most` rows, all where there are no more. The first rows, as an owner's rows that follow
// each other in a stripe must do so in the sample; where features have hardly any entries there, as
// those that come later, also rows of which they have many.
RowSample SampleRows(const RowOrder& order, uint32_t num_rows, uint32_t most, size_t num_features,
                     const CountEntries& count);

}  // namespace dsi::internal
