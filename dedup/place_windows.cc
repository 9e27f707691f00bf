#include "dsi/dedup/place_windows_internal.h"

#include <algorithm>
#include <string_view>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status BadWindow(size_t row, int64_t start, int64_t end, uint64_t num_values,
                 std::string_view why) {
  return Corrupt("unique row {}: window {}..{} in a pool of {} {} (D-013)", row, start, end,
                 num_values, why);
}

// Which of the chains holds a start that lies before the newest chain.
size_t ChainAt(std::span<const uint32_t> begins, uint64_t start, size_t hint) {
  // Most lists that come back do so to the chain of the one before, or to the next.
  for (size_t at = hint; at < std::min(hint + 2, begins.size() - 1); ++at) {
    if (begins[at] <= start && start < begins[at + 1]) return at;
  }
  // The first chain begins at 0.
  return static_cast<size_t>(std::upper_bound(begins.begin() + 1, begins.end(), start) -
                             begins.begin()) -
         1;
}

}  // namespace

size_t CountChains(std::span<const uint32_t> codes, std::span<const uint32_t> lengths) {
  uint32_t count = 0;  // A stripe has fewer rows.
  for (size_t u = 0; u < codes.size(); ++u) count += ~codes[u] & (lengths[u] != 0 ? 1U : 0U);
  return count;
}

Result<WindowReach> PlaceWindows(std::span<const uint32_t> codes, std::span<const uint32_t> lengths,
                                 uint64_t num_values, std::span<uint64_t> starts,
                                 std::span<uint32_t> bounds) {
  if (num_values > UINT32_MAX) return Corrupt("a pool of {} values (F-090)", num_values);
  const auto limit = static_cast<int64_t>(num_values);
  size_t num_chains = 0;
  size_t hint = 0;
  // Of the newest chain, which begins at `begin`, windows have filled [low, frontier).
  int64_t begin = 0;
  int64_t low = 0;
  int64_t frontier = 0;
  int64_t lowest_end = 0;  // Of its windows.
  int64_t before = 0;      // Start of the last list.
  int64_t to_begin = 0;
  int64_t to_end = 0;
  for (size_t u = 0; u < codes.size(); ++u) {
    const uint32_t code = codes[u];
    const int64_t length = lengths[u];
    if (length == 0) {
      if (code != 0)
        return Corrupt("unique row {} has no entries, its window is {} (D-013)", u, code);
      starts[u] = 0;
      continue;
    }
    // A window that begins a chain and one that extends it take the same steps, and of both ways to
    // say a start the one is picked by a mask: which one a row takes is not predictable. What
    // branches are on is: damage, and lists that come back to an old chain.
    const int64_t is_step = -int64_t{code & 1};
    const auto pick = [is_step](int64_t step, int64_t other) {
      return other ^ ((other ^ step) & is_step);
    };
    const int64_t zigzag = int64_t{code >> 2} ^ -int64_t{code >> 1 & 1};
    const int64_t start = pick(before + zigzag, frontier + (code >> 1));
    const int64_t end = start + length;
    if (start < 0 || end > limit) return BadWindow(u, start, end, num_values, "leaves it");
    before = start;
    starts[u] = static_cast<uint64_t>(start);
    if (start < pick(begin, 0)) [[unlikely]] {
      hint = ChainAt(bounds.first(num_chains), static_cast<uint64_t>(start), hint);
      const int64_t chain_end = bounds[hint + 1];
      if (end > chain_end) return BadWindow(u, start, end, num_values, "leaves its chain");
      to_begin = std::max(to_begin, start - bounds[hint]);
      to_end = std::max(to_end, chain_end - end);
      continue;
    }
    // Before the first chain there is nothing to share.
    const int64_t is_apart = int64_t{start >= frontier} | int64_t{end <= low};
    if (pick(is_apart, low ^ begin) != 0) [[unlikely]] {
      return BadWindow(u, start, end, num_values,
                       is_step != 0 ? "shares nothing with its chain" : "follows one with a gap");
    }
    bounds[num_chains] = static_cast<uint32_t>(frontier);
    num_chains += ~code & 1;
    to_end = std::max(to_end, pick(0, frontier - lowest_end));
    begin = pick(begin, frontier);
    low = pick(std::min(low, start), start);
    lowest_end = pick(std::min(lowest_end, end), end);
    to_begin = std::max(to_begin, start - begin);
    frontier = std::max(frontier, end);
  }
  if (low != begin || frontier != limit) {
    return Corrupt("windows fill {}..{} of the last chain, which is {}..{} (D-013)", low, frontier,
                   begin, num_values);
  }
  bounds[num_chains] = static_cast<uint32_t>(num_values);
  to_end = std::max(to_end, frontier - lowest_end);
  return WindowReach{static_cast<uint64_t>(to_begin), static_cast<uint64_t>(to_end)};
}

}  // namespace dsi::internal
