#include "dsi/writer/cluster/stripe_cuts_internal.h"

#include <algorithm>

#include "dsi/base/error_internal.h"
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

std::vector<uint64_t> RowBytes(std::span<const FeatureSource> features, size_t num_rows,
                               size_t first) {
  std::vector<uint64_t> of_row(num_rows - std::min(first, num_rows), 0);
  for (const FeatureSource& feature : features) {
    const RowBatch::FeatureBuffer& rows = *feature.rows;
    const uint64_t entry = feature.entry_bytes();
    const bool lengths = feature.has_lengths();
    const uint64_t fixed =
        sizeof(uint32_t) + (lengths ? sizeof(uint32_t) : entry * feature.entries_per_row());
    size_t i = first;
    if (!rows.all_present) {
      i = static_cast<size_t>(std::lower_bound(rows.rows.begin(), rows.rows.end(), first) -
                              rows.rows.begin());
    }
    for (; i < rows.num_present; ++i) {
      const size_t row = (rows.all_present ? i : rows.rows[i]) - first;
      of_row[row] += fixed + (lengths ? rows.lengths[rows.ListOf(i)] * entry : 0);
    }
  }
  return of_row;
}

Result<std::vector<StripeCut>> CutStripes(const RowList& rows, const RowLimits& most,
                                          bool more_come) {
  std::vector<StripeCut> cuts;
  const uint32_t num_rows = rows.size();
  for (uint32_t first = 0; first < num_rows;) {
    StripeCut cut;
    cut.first_row = first;
    DSI_ASSIGN_OR_RETURN(const ListedRow head, rows.At(first));
    cut.continues_session = rows.has_sessions() && !head.starts_session;
    const uint32_t most_rows = MostRows(num_rows - first, most.rows);
    uint64_t left = most.bytes - std::min<uint64_t>(most.bytes, head.bytes);
    // What the first row repeats of its session is not in this stripe yet.
    uint64_t fresh_left = most.fresh_bytes - std::min<uint64_t>(most.fresh_bytes, head.bytes);
    uint32_t end = first + 1;
    cut.num_sessions = head.starts_session ? 1 : 0;
    // The last session start after the first row, and how many sessions start before it.
    uint32_t last_start = first;
    uint32_t sessions_before = 0;
    for (; end < num_rows; ++end) {
      DSI_ASSIGN_OR_RETURN(const ListedRow row, rows.At(end));
      if (row.starts_session) {
        last_start = end;
        sessions_before = cut.num_sessions;
      }
      if (end - first == most_rows || row.bytes > left || row.fresh_bytes > fresh_left) break;
      left -= row.bytes;
      fresh_left -= row.fresh_bytes;
      cut.num_sessions += row.starts_session ? 1 : 0;
    }
    // Once rows follow that are too many for the last stripe, or where bytes end it before its rows
    // could be.
    const bool is_settled =
        most_rows < num_rows - first || (end < num_rows && end - first <= most.rows);
    if (more_come && !is_settled) break;
    // Back to the last session start; none: the session is longer than a stripe.
    if (end < num_rows && last_start > first) {
      end = last_start;
      cut.num_sessions = sessions_before;
    }
    cut.num_rows = end - first;
    cuts.push_back(cut);
    first = end;
  }
  return cuts;
}

Result<std::vector<StripeCut>> CutAsTold(const RowList& rows, std::span<const uint32_t> stripe_rows,
                                         uint64_t most_bytes) {
  std::vector<StripeCut> cuts;
  uint32_t first = 0;
  for (const uint32_t num_rows : stripe_rows) {
    if (num_rows > rows.size() - first) break;
    uint64_t left = most_bytes;
    for (uint32_t row = first; row < first + num_rows; ++row) {
      DSI_ASSIGN_OR_RETURN(const ListedRow listed, rows.At(row));
      if (listed.bytes > left) {
        return Error(StatusCode::kResourceExhausted,
                     "the stripe of rows {} to {} takes more than {} bytes, and an overlay is cut "
                     "as its base is: write fewer features at once",
                     first, first + num_rows, most_bytes);
      }
      left -= listed.bytes;
    }
    cuts.push_back({.first_row = first, .num_rows = num_rows});
    first += num_rows;
  }
  return cuts;
}

}  // namespace dsi::internal
