#include "dsi/writer/stripe_cuts_internal.h"

#include <algorithm>

namespace dsi::internal {

std::vector<StripeCut> CutStripes(const RowOrder& order, uint32_t num_rows, uint64_t total_bytes,
                                  uint32_t stripe_rows, uint64_t stripe_bytes) {
  std::vector<StripeCut> cuts;
  if (num_rows == 0) return cuts;
  const double bytes_per_row = static_cast<double>(total_bytes) / num_rows;
  const double rows_of_bytes =
      bytes_per_row > 0 ? static_cast<double>(stripe_bytes) / bytes_per_row : num_rows;
  const auto target =
      static_cast<uint32_t>(std::clamp(rows_of_bytes, 1.0, static_cast<double>(stripe_rows)));

  const std::vector<uint32_t>& starts = order.session_starts;
  size_t next = 0;  // First session start at or after the stripe's first row.
  for (uint32_t row = 0; row < num_rows;) {
    StripeCut cut;
    cut.first_row = row;
    const size_t first_session = next;
    cut.continues_session = !starts.empty() && (next == starts.size() || starts[next] != row);
    uint32_t end = num_rows - row > target ? row + target : num_rows;
    if (end < num_rows && !starts.empty()) {
      // Back to the last session start that leaves the stripe at least one row; none: the session
      // is longer than a stripe.
      const auto after = std::upper_bound(starts.begin(), starts.end(), end);
      const uint32_t last = *(after - 1);
      if (last > row) end = last;
    }
    next =
        static_cast<size_t>(std::lower_bound(starts.begin(), starts.end(), end) - starts.begin());
    cut.num_rows = end - row;
    cut.num_sessions = static_cast<uint32_t>(next - first_session);
    cuts.push_back(cut);
    row = end;
  }
  return cuts;
}

}  // namespace dsi::internal
