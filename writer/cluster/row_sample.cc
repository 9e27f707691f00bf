#include "dsi/writer/cluster/row_sample_internal.h"

#include <algorithm>
#include <numeric>

namespace dsi::internal {
namespace {

constexpr uint32_t kMostWindows = 64;  // That are looked at, as many rows each as the sample has.
constexpr size_t kMostRanges = 4;      // That the sample is made of.
constexpr uint64_t kFewestEntries = 1'024;  // A feature of fewer does not matter.

constexpr uint64_t kHardlyAny = 8;  // One in so many of what a window has on average.

// The last session start in [from, at], or `at` where there is none.
uint32_t SessionStart(std::span<const uint32_t> starts, uint32_t from, uint32_t at) {
  const auto after = std::upper_bound(starts.begin(), starts.end(), at);
  return after == starts.begin() || *(after - 1) < from ? at : *(after - 1);
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

// The first window, and while there are features that the chosen ones hardly have, the one that has
// most of these. Ascending.
std::vector<size_t> Choose(std::span<const RowInterval> windows, size_t num_features,
                           const CountEntries& count) {
  // Entries of the features that are not seen yet, window by window.
  std::vector<std::vector<uint64_t>> unseen;
  std::vector<size_t> chosen = {0};
  const auto is_seen = [&windows](const std::vector<uint64_t>& entries, size_t window) {
    const uint64_t sum = std::accumulate(entries.begin(), entries.end(), uint64_t{0});
    return sum < kFewestEntries || entries[window] * kHardlyAny * windows.size() >= sum;
  };
  for (size_t f = 0; f < num_features && windows.size() > 1; ++f) {
    std::vector<uint64_t> entries;
    for (const RowInterval& window : windows) entries.push_back(count(f, window));
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

std::vector<RowInterval> ChooseRanges(const RowOrder& order, uint32_t num_rows, uint32_t most,
                                      size_t num_features, const CountEntries& count) {
  if (num_rows <= most) return {{0, num_rows}};
  const std::vector<RowInterval> windows = Windows(num_rows, most);
  const std::vector<size_t> chosen = Choose(windows, num_features, count);
  const auto size = std::max(1U, static_cast<uint32_t>(most / chosen.size()));
  std::vector<RowInterval> ranges = {{0, size}};
  for (size_t i = 1; i < chosen.size(); ++i) {
    // What comes late is there at the end of a window rather than at its beginning.
    const uint32_t at = windows[chosen[i]].first + most - size;
    const uint32_t from = std::max(ranges.back().first + size, at - std::min(at, size / 4));
    ranges.push_back({SessionStart(order.session_starts, from, at), size});
  }
  return ranges;
}

}  // namespace

RowSample SampleRows(const RowOrder& order, uint32_t num_rows, uint32_t most, size_t num_features,
                     const CountEntries& count) {
  RowSample sample;
  sample.ranges = ChooseRanges(order, num_rows, most, num_features, count);
  std::vector<uint32_t> time_rank;
  for (const RowInterval& range : sample.ranges) {
    const auto entries = order.input_entry.begin() + range.first;
    sample.input_entry.insert(sample.input_entry.end(), entries, entries + range.num_rows);
    const auto ranks = order.time_rank.begin() + range.first;
    time_rank.insert(time_rank.end(), ranks, ranks + range.num_rows);
  }
  sample.rows_in_time = RowsInTime(time_rank);
  return sample;
}

}  // namespace dsi::internal
