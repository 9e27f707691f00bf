#include "dsi/writer/cluster/stripe_cuts_internal.h"

#include <algorithm>

#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

// A short stripe at the end would store the state of all owners once more for few rows: those are
// added to the stripe before.
uint32_t MostRows(uint32_t rest, uint32_t stripe_rows) {
  return rest <= kMaxStripeRows && rest - std::min(rest, stripe_rows) <= stripe_rows / 2
             ? rest
             : stripe_rows;
}

}  // namespace

std::vector<uint64_t> RowBytes(std::span<const FeatureSource> features, const RowOrder& order) {
  const size_t num_rows = order.input_row.size();
  std::vector<uint64_t> of_input(num_rows, 0);
  uint64_t of_every_row = 0;
  for (const FeatureSource& feature : features) {
    const RowBatch::FeatureBuffer& rows = *feature.rows;
    uint64_t entry = 0;
    for (const ColumnSpec& column : feature.spec->columns)
      entry += static_cast<uint64_t>(TypeWidth(column.type));
    const bool lengths = feature.has_lengths();
    const uint64_t fixed = (lengths ? sizeof(uint32_t) : entry * feature.entries_per_row()) +
                           (rows.all_present ? 0 : sizeof(uint32_t));
    if (rows.all_present) {
      of_every_row += fixed;
    } else {
      for (const uint32_t row : rows.rows) of_input[row] += fixed;
    }
    for (size_t i = 0; i < rows.lengths.size(); ++i)
      of_input[rows.all_present ? i : rows.rows[i]] += rows.lengths[i] * entry;
  }
  std::vector<uint64_t> bytes(num_rows);
  for (size_t p = 0; p < num_rows; ++p) bytes[p] = of_input[order.input_row[p]] + of_every_row;
  return bytes;
}

std::vector<StripeCut> CutStripes(const RowOrder& order, std::span<const uint64_t> row_bytes,
                                  uint32_t stripe_rows, uint64_t stripe_bytes) {
  std::vector<StripeCut> cuts;
  const auto num_rows = static_cast<uint32_t>(row_bytes.size());
  const std::vector<uint32_t>& starts = order.session_starts;
  size_t next = 0;  // First session start at or after the stripe's first row.
  for (uint32_t row = 0; row < num_rows;) {
    StripeCut cut;
    cut.first_row = row;
    const size_t first_session = next;
    cut.continues_session = !starts.empty() && (next == starts.size() || starts[next] != row);
    const uint32_t most_rows = MostRows(num_rows - row, stripe_rows);
    uint64_t left = stripe_bytes - std::min(stripe_bytes, row_bytes[row]);
    uint32_t end = row + 1;
    while (end < num_rows && end - row < most_rows && row_bytes[end] <= left)
      left -= row_bytes[end++];
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
