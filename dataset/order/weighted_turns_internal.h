// Whose turn it is, of sources that have weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

inline constexpr uint64_t kMaxWeights = 1U << 16;  // Sum of all.

// Turns as windows of time, earliest end first (spec DO-016): the (j+1)-th turn of a source of
// weight w of W comes in [floor(j W / w), ceil((j+1) W / w)). There is always an order that keeps
// to them, and this finds it (Baruah, Cohen, Plaxton, Varvel, "Proportionate Progress",
// Algorithmica 1996; one processor). So after any t turns each source has had t w / W, less than
// one off, and after W turns exactly w.
class WeightedTurns {
 public:
  // A weight of 0 has no turns. The sum is at most kMaxWeights, and not 0.
  // `time`: goes on behind so many turns, fewer than the sum.
  explicit WeightedTurns(std::span<const uint32_t> weights, uint64_t time = 0);

  size_t Next() const;  // Whose turn it is.
  void Take(size_t source);
  uint64_t time() const { return time_; }  // Turns since all had theirs.
  // Turns up to, and without, the first (turns[i] + 1)-th turn of a source i that has one; from the
  // beginning of this object. Costs by W at most.
  uint64_t CountUntilOneLacks(std::span<const uint64_t> turns) const;

 private:
  std::vector<uint32_t> weights_;
  std::vector<uint32_t> taken_;  // Of the turns since all had theirs.
  uint64_t sum_ = 0;
  uint64_t time_ = 0;
};

}  // namespace dsi::internal
