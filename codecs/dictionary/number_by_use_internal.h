// Numbers for things that are referred to by number, the most used first (spec D-002, E-110).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace dsi::internal {

struct NumbersByUse {
  std::vector<uint32_t> order;   // By new number, the old one.
  std::vector<uint32_t> number;  // By old number, the new one.

  std::vector<uint32_t> Renumber(std::span<const uint32_t> codes) const {
    std::vector<uint32_t> renumbered(codes.size());
    for (size_t i = 0; i < codes.size(); ++i) renumbered[i] = number[codes[i]];
    return renumbered;
  }

  // What has old numbers as places, in the new order.
  template <typename T>
  std::vector<T> Reorder(const std::vector<T>& by_number) const {
    std::vector<T> reordered(by_number.size());
    for (size_t n = 0; n < order.size(); ++n) reordered[n] = by_number[order[n]];
    return reordered;
  }
};

// Whether numbers by use could save half a bit of each.
inline bool AreUsedUnequally(std::span<const uint32_t> uses, double entropy) {
  constexpr double kLeastGain = 0.5;
  return std::log2(static_cast<double>(uses.size())) - entropy >= kLeastGain;
}

// `uses`: how often each number occurs. Equal counts keep their order.
template <typename Count>
NumbersByUse NumberByUse(const std::vector<Count>& uses) {
  NumbersByUse numbers;
  numbers.order.resize(uses.size());
  std::iota(numbers.order.begin(), numbers.order.end(), 0U);
  std::stable_sort(numbers.order.begin(), numbers.order.end(),
                   [&](uint32_t a, uint32_t b) { return uses[a] > uses[b]; });
  numbers.number.resize(uses.size());
  for (uint32_t n = 0; n < numbers.order.size(); ++n) numbers.number[numbers.order[n]] = n;
  return numbers;
}

}  // namespace dsi::internal
