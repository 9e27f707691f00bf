#include "dsi/dedup/tiers_internal.h"

#include <cstddef>

namespace dsi::internal {

std::vector<PoolRange> ChainsOf(std::span<const uint32_t> codes, std::span<const uint32_t> lengths,
                                uint64_t num_values) {
  std::vector<PoolRange> chains;
  int64_t frontier = 0;
  int64_t before = 0;
  for (size_t u = 0; u < codes.size(); ++u) {
    if (lengths[u] == 0) continue;
    const uint32_t code = codes[u];
    const int64_t zigzag = int64_t{code >> 2} ^ -int64_t{code >> 1 & 1};
    if ((code & 1) == 0) {
      const auto begin = static_cast<uint64_t>(frontier);
      if (!chains.empty()) chains.back().end = begin;
      chains.push_back({begin, num_values});
    }
    before = (code & 1) == 0 ? frontier + (code >> 1) : before + zigzag;
    frontier = std::max(frontier, before + int64_t{lengths[u]});
  }
  return chains;
}

uint64_t ReachOf(std::span<const PoolRange> chains, std::span<const uint64_t> starts,
                 std::span<const uint32_t> lengths, bool newest_first) {
  uint64_t reach = 0;
  size_t at = 0;  // Most lists stand in the chain of the one before, or in the next.
  for (size_t u = 0; u < starts.size(); ++u) {
    if (lengths[u] == 0) continue;
    if (at + 1 < chains.size() && starts[u] >= chains[at].end) ++at;
    if (starts[u] < chains[at].begin || starts[u] >= chains[at].end) {
      const auto after = std::upper_bound(
          chains.begin(), chains.end(), starts[u],
          [](uint64_t start, const PoolRange& chain) { return start < chain.begin; });
      at = static_cast<size_t>(after - chains.begin()) - 1;
    }
    const PoolRange& chain = chains[at];
    const uint64_t end = starts[u] + lengths[u];
    reach = std::max(reach, newest_first ? starts[u] - chain.begin : chain.end - end);
  }
  return reach;
}

}  // namespace dsi::internal
