#include "dsi/writer/cluster/row_sample_internal.h"

#include <algorithm>
#include <numeric>

namespace dsi::internal {
namespace {

constexpr uint32_t kMostWindows = 64;  // That are looked at, as many rows each as the sample has.
constexpr size_t kMostRanges = 4;      // That the sample is made of.
constexpr uint64_t kFewestEntries = 1'024;  // A feature of fewer does not matter.
constexpr uint64_t kFewestLooked = 32;      // Of a window on average; fewer may be chance.
constexpr uint64_t kHardlyAny = 8;          // One in so many of what a window has on average.
// Rows of a window that are looked at.
constexpr uint32_t kPieces = 4;
constexpr uint32_t kPieceRows = 1'024;

// The last session start in [from, at], or `at` where there is none.
Result<uint32_t> SessionStart(const RowList& rows, uint32_t from, uint32_t at) {
  if (!rows.has_sessions()) return at;
  for (uint32_t row = at;; --row) {
    DSI_ASSIGN_OR_RETURN(const ListedRow listed, rows.At(row));
    if (listed.starts_session) return row;
    if (row == from) return at;
  }
}

std::vector<RowInterval> Windows(uint32_t num_rows, uint32_t size) {
  const uint32_t count = std::min((num_rows - 1) / size + 1, kMostWindows);
  std::vector<RowInterval> windows;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t first = count == 1 ? 0 : uint64_t{num_rows - size} * i / (count - 1);
    windows.push_back({static_cast<uint32_t>(first), size});
  }
  return windows;
}

// Rows of the windows, as many of each.
std::vector<RowInterval> Pieces(std::span<const RowInterval> windows) {
  std::vector<RowInterval> pieces;
  for (const RowInterval& window : windows) {
    if (window.num_rows <= kPieces * kPieceRows) {
      pieces.push_back(window);
      continue;
    }
    for (uint32_t i = 0; i < kPieces; ++i) {
      const uint64_t skipped = uint64_t{window.num_rows - kPieceRows} * i / (kPieces - 1);
      pieces.push_back({window.first + static_cast<uint32_t>(skipped), kPieceRows});
    }
  }
  return pieces;
}

// The first window, and while there are features that the chosen ones hardly have, the one that has
// most of these. Ascending.
Result<std::vector<size_t>> Choose(std::span<const RowInterval> windows, size_t num_features,
                                   const CountEntries& count) {
  std::vector<size_t> chosen = {0};
  if (windows.size() < 2) return chosen;
  const std::vector<RowInterval> pieces = Pieces(windows);
  const size_t per_window = pieces.size() / windows.size();
  const uint64_t looked = uint64_t{per_window} * pieces[0].num_rows;
  DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> found, count(pieces));
  const auto is_seen = [&](const std::vector<uint64_t>& entries, size_t window) {
    const uint64_t sum = std::accumulate(entries.begin(), entries.end(), uint64_t{0});
    return sum * windows[0].num_rows / looked < kFewestEntries ||
           sum < kFewestLooked * windows.size() ||
           entries[window] * kHardlyAny * windows.size() >= sum;
  };
  // Entries of the features that are not seen yet, window by window.
  std::vector<std::vector<uint64_t>> unseen;
  for (size_t f = 0; f < num_features; ++f) {
    std::vector<uint64_t> entries(windows.size(), 0);
    for (size_t i = 0; i < pieces.size(); ++i)
      entries[i / per_window] += found[f * pieces.size() + i];
    if (!is_seen(entries, 0)) unseen.push_back(std::move(entries));
  }
  while (!unseen.empty() && chosen.size() < kMostRanges) {
    std::vector<uint64_t> sums(windows.size(), 0);
    for (const std::vector<uint64_t>& entries : unseen) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += entries[i];
    }
    const auto best =
        static_cast<size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
    std::erase_if(unseen, [&](const auto& entries) { return is_seen(entries, best); });
    if (std::find(chosen.begin(), chosen.end(), best) != chosen.end()) break;
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// Cuts each range where the rows before take its share of the bytes.
Status CutToBytes(const RowList& rows, const RowLimits& most, std::vector<RowInterval>* ranges) {
  for (RowInterval& range : *ranges) {
    uint64_t left = most.bytes / ranges->size();
    uint64_t fresh_left = most.fresh_bytes / ranges->size();
    for (uint32_t i = 0; i < range.num_rows; ++i) {
      DSI_ASSIGN_OR_RETURN(const ListedRow row, rows.At(range.first + i));
      if ((row.bytes > left || row.fresh_bytes > fresh_left) && i > 0) {
        range.num_rows = i;
        break;
      }
      left -= std::min<uint64_t>(left, row.bytes);
      fresh_left -= std::min<uint64_t>(fresh_left, row.fresh_bytes);
    }
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<RowInterval>> SampleRows(const RowList& rows, const RowLimits& most,
                                            size_t num_features, const CountEntries& count) {
  std::vector<RowInterval> ranges;
  if (rows.size() == 0) return ranges;
  if (rows.size() <= most.rows) {
    ranges.push_back({0, rows.size()});
  } else {
    const std::vector<RowInterval> windows = Windows(rows.size(), most.rows);
    DSI_ASSIGN_OR_RETURN(const std::vector<size_t> chosen, Choose(windows, num_features, count));
    const auto size = std::max(1U, static_cast<uint32_t>(most.rows / chosen.size()));
    ranges.push_back({0, size});
    for (size_t i = 1; i < chosen.size(); ++i) {
      // What comes late is there at the end of a window rather than at its beginning.
      const uint32_t at = windows[chosen[i]].first + most.rows - size;
      const uint32_t from = std::max(ranges.back().first + size, at - std::min(at, size / 4));
      DSI_ASSIGN_OR_RETURN(const uint32_t start, SessionStart(rows, from, at));
      ranges.push_back({start, size});
    }
  }
  DSI_RETURN_IF_ERROR(CutToBytes(rows, most, &ranges));
  return ranges;
}

}  // namespace dsi::internal
