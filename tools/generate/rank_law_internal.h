// Ranks whose probability falls like their inverse: what is popular, and who comes often.
#pragma once

#include <cstdint>
#include <vector>

namespace dsi::tools {

// The weight of rank r is 1 / (r + offset): the offset keeps the first rank from taking a tenth of
// all draws. Immutable, 8 bytes a rank.
class RankLaw {
 public:
  RankLaw(uint32_t ranks, double offset);

  double WeightOf(uint32_t rank) const { return 1 / (rank + offset_); }
  // In 1 .. ranks.
  uint32_t Draw(uint64_t bits) const;

 private:
  double offset_;
  std::vector<double> sums_;  // Of the weights up to each rank.
};

}  // namespace dsi::tools
