// Which classes a sample of numbers falls into best: a dynamic programme over where each starts.
#include <algorithm>
#include <bit>
#include <vector>

#include "dsi/codecs/skewed/skewed_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kTooMuch = UINT64_MAX / 4;

// Bits of a selector among so many classes.
int SelectorBits(size_t classes) { return BitsFor(classes - 1); }

class Search {
 public:
  Search(std::span<const uint64_t> ascending, int most_bits, size_t most_starts) {
    const size_t fewest = ascending.size() / most_starts;
    for (size_t i = 0; i < ascending.size(); ++i) {
      const bool is_new = i == 0 || ascending[i] != ascending[i - 1];
      if (is_new && (i == 0 || i - before_.back() >= fewest)) {
        start_.push_back(ascending[i]);
        last_.push_back(ascending[i]);
        before_.push_back(i);
      }
      last_.back() = ascending[i];
    }
    before_.push_back(ascending.size());
    FindEnds(std::min(most_bits, BitsFor(last_.back() - start_[0])));
  }

  SkewedClasses Best() {
    const size_t n = start_.size();
    bits_of_.assign(kMaxClasses + 1, std::vector<uint8_t>(n, 0));
    // cost[s]: fewest bits of offsets of all numbers from start s on, with so many classes at most.
    std::vector<uint64_t> cost(n + 1, kTooMuch);
    cost[n] = 0;
    uint64_t best_cost = kTooMuch;
    size_t best_count = 0;
    for (size_t count = 1; count <= kMaxClasses; ++count) {
      cost = OneMore(cost, &bits_of_[count]);
      if (!std::has_single_bit(count) || cost[0] >= kTooMuch) continue;
      const uint64_t all = cost[0] + before_[n] * static_cast<uint64_t>(SelectorBits(count));
      if (all >= best_cost) continue;
      best_cost = all;
      best_count = count;
    }
    return Trace(best_count);
  }

 private:
  void FindEnds(int top_bits) {
    for (int bits = 0; bits <= top_bits; ++bits) {
      std::vector<uint32_t>& ends = ends_.emplace_back(start_.size());
      size_t end = 0;
      for (size_t s = 0; s < start_.size(); ++s) {
        end = std::max(end, s);
        while (end < start_.size() && last_[end] - start_[s] <= LowMask(bits)) ++end;
        ends[s] = static_cast<uint32_t>(end);
      }
    }
  }

  std::vector<uint64_t> OneMore(const std::vector<uint64_t>& rest, std::vector<uint8_t>* chosen) {
    const size_t n = start_.size();
    std::vector<uint64_t> cost = rest;
    for (size_t bits = 0; bits < ends_.size(); ++bits) {
      const std::vector<uint32_t>& ends = ends_[bits];
      for (size_t s = 0; s < n; ++s) {
        const size_t end = ends[s];
        if (end == s) continue;
        const uint64_t sum = (before_[end] - before_[s]) * bits + rest[end];
        if (sum >= cost[s]) continue;
        cost[s] = sum;
        (*chosen)[s] = static_cast<uint8_t>(bits + 1);
      }
    }
    return cost;
  }

  SkewedClasses Trace(size_t count) const {
    SkewedClasses classes;
    for (size_t s = 0; count != 0 && s < start_.size(); --count) {
      const uint8_t bits = bits_of_[count][s];
      if (bits == 0) continue;  // One class less does as well.
      const size_t c = classes.count++;
      classes.base[c] = start_[s];
      classes.bits[c] = static_cast<uint8_t>(bits - 1);
      if (c != 0) CloseGap(&classes, c);
      s = ends_[bits - 1U][s];
    }
    return classes;
  }

  // Numbers between two classes that the sample has not met go to the second where it is close:
  // the first would need a bit more for each of its numbers.
  static void CloseGap(SkewedClasses* classes, size_t c) {
    const uint64_t end = classes->base[c - 1] + LowMask(classes->bits[c - 1]) + 1;
    const uint64_t gap = classes->base[c] - end;
    if (gap <= LowMask(classes->bits[c]) / 4) classes->base[c] = end;
  }

  std::vector<uint64_t> start_;                // Numbers where a class may start.
  std::vector<uint64_t> last_;                 // The last number before the next start.
  std::vector<uint64_t> before_;               // How many of the sample are below each start; all.
  std::vector<std::vector<uint32_t>> ends_;    // By bits and start: where the class ends.
  std::vector<std::vector<uint8_t>> bits_of_;  // By classes left and start: bits + 1; 0: none.
};

}  // namespace

SkewedClasses ChooseClasses(std::span<const uint64_t> ascending, int most_bits,
                            size_t most_starts) {
  return Search(ascending, most_bits, most_starts).Best();
}

}  // namespace dsi::internal
