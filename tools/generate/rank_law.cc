#include "dsi/tools/generate/rank_law_internal.h"

#include <algorithm>

#include "dsi/tools/generate/counter_rng_internal.h"

namespace dsi::tools {

RankLaw::RankLaw(uint32_t ranks, double offset) : offset_(offset) {
  sums_.reserve(ranks);
  double sum = 0;
  for (uint32_t rank = 1; rank <= ranks; ++rank) sums_.push_back(sum += WeightOf(rank));
}

uint32_t RankLaw::Draw(uint64_t bits) const {
  const double at = UnitFromBits(bits) * sums_.back();
  const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
  const auto index = static_cast<size_t>(found - sums_.begin());
  return static_cast<uint32_t>(std::min(index, sums_.size() - 1) + 1);
}

}  // namespace dsi::tools
