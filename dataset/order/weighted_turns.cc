#include "dsi/dataset/order/weighted_turns_internal.h"

#include <algorithm>
#include <numeric>

namespace dsi::internal {

WeightedTurns::WeightedTurns(std::span<const uint32_t> weights, uint64_t time)
    : weights_(weights.begin(), weights.end()),
      taken_(weights.size(), 0),
      sum_(std::accumulate(weights.begin(), weights.end(), uint64_t{0})) {
  while (time_ < time) Take(Next());
}

size_t WeightedTurns::Next() const {
  size_t best = 0;
  uint64_t best_end = UINT64_MAX;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const uint64_t weight = weights_[i];
    if (weight == 0 || taken_[i] * sum_ / weight > time_) continue;
    const uint64_t end = ((taken_[i] + 1) * sum_ + weight - 1) / weight;
    if (end >= best_end) continue;
    best = i;
    best_end = end;
  }
  return best;
}

void WeightedTurns::Take(size_t source) {
  ++taken_[source];
  if (++time_ < sum_) return;
  std::ranges::fill(taken_, 0U);
  time_ = 0;
}

uint64_t WeightedTurns::CountUntilOneLacks(std::span<const uint64_t> turns) const {
  // Whole rounds of W turns that all sources have.
  uint64_t rounds = UINT64_MAX;
  for (size_t i = 0; i < weights_.size(); ++i) {
    if (weights_[i] > 0) rounds = std::min(rounds, turns[i] / weights_[i]);
  }
  std::vector<uint64_t> left(turns.begin(), turns.end());
  for (size_t i = 0; i < left.size(); ++i) left[i] -= rounds * weights_[i];
  // W turns in a row are w of each, wherever they begin.
  WeightedTurns turn = *this;
  uint64_t count = rounds * sum_;
  for (size_t next = turn.Next(); left[next] > 0; next = turn.Next()) {
    --left[next];
    turn.Take(next);
    ++count;
  }
  return count;
}

}  // namespace dsi::internal
