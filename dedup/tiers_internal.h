// Tiers of a pool (spec D-014): the newest entries of every chain stand in a stream of their own,
// older ones in further streams, so that who reads the newest L of long lists reads no more.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dsi::internal {

// A stretch of the pool.
struct PoolRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

// Distance from a chain's newest end at which a tier begins.
inline uint64_t TierBegin(uint32_t tier) { return tier == 0 ? 0 : uint64_t{16} << tier; }

// What a tier holds of a chain. The last of `num_tiers` tiers holds all that is older.
inline PoolRange TierOf(PoolRange chain, uint32_t tier, uint32_t num_tiers, bool newest_first) {
  const uint64_t size = chain.size();
  const uint64_t from = std::min(TierBegin(tier), size);
  const uint64_t to = tier + 1 == num_tiers ? size : std::min(TierBegin(tier + 1), size);
  if (newest_first) return {chain.begin + from, chain.begin + to};
  return {chain.end - to, chain.end - from};
}

// How many tiers the values at distances below `reach` lie in.
inline uint32_t TiersWithin(uint64_t reach, uint32_t num_tiers) {
  uint32_t tiers = 1;
  while (tiers < num_tiers && TierBegin(tiers) < reach) ++tiers;
  return tiers;
}

}  // namespace dsi::internal
