#include "dsi/writer/row_sample_internal.h"

#include <algorithm>

namespace dsi::internal {
namespace {

constexpr uint32_t kMostRanges = 8;
constexpr uint32_t kFewestRows = 256;  // Of a range.

// The last session start in [from, at], or `at` where there is none.
uint32_t SessionStart(std::span<const uint32_t> starts, uint32_t from, uint32_t at) {
  const auto after = std::upper_bound(starts.begin(), starts.end(), at);
  return after == starts.begin() || *(after - 1) < from ? at : *(after - 1);
}

std::vector<RowRange> Spread(const RowOrder& order, uint32_t num_rows, uint32_t most) {
  if (num_rows <= most) return {{0, num_rows}};
  const uint32_t count = std::clamp(most / kFewestRows, 1U, kMostRanges);
  const uint32_t size = most / count;
  std::vector<RowRange> ranges = {{0, size}};
  for (uint32_t i = 1; i < count; ++i) {
    const auto at = static_cast<uint32_t>(uint64_t{num_rows - size} * i / (count - 1));
    const uint32_t end = ranges.back().first + size;
    ranges.push_back({SessionStart(order.session_starts, end, std::max(at, end)), size});
  }
  return ranges;
}

}  // namespace

RowSample SampleRows(const RowOrder& order, uint32_t num_rows, uint32_t most) {
  RowSample sample;
  sample.ranges = Spread(order, num_rows, most);
  std::vector<uint32_t> time_rank;
  for (const RowRange& range : sample.ranges) {
    const auto entries = order.input_entry.begin() + range.first;
    sample.input_entry.insert(sample.input_entry.end(), entries, entries + range.num_rows);
    const auto ranks = order.time_rank.begin() + range.first;
    time_rank.insert(time_rank.end(), ranks, ranks + range.num_rows);
  }
  sample.rows_in_time = RowsInTime(time_rank);
  return sample;
}

}  // namespace dsi::internal
