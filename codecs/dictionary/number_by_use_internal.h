// Numbers for things that are referred to by number, the most used first (spec D-002, E-110).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/logarithm_internal.h"

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

// How often each of `count` numbers occurs.
inline std::vector<uint32_t> CountUses(std::span<const uint32_t> numbers, size_t count) {
  std::vector<uint32_t> uses(count);
  for (const uint32_t number : numbers) ++uses[number];
  return uses;
}

// Whether numbers by use could save half a bit of each.
inline bool AreUsedUnequally(std::span<const uint32_t> uses, double entropy) {
  constexpr double kLeastGain = 0.5;
  return Log2(static_cast<double>(uses.size())) - entropy >= kLeastGain;
}

// `uses`: how often each number occurs. Equal counts keep their order.
inline NumbersByUse NumberByUse(std::span<const uint32_t> uses) {
  // Most numbers are used seldom: a place for each count, and one for all large ones.
  constexpr size_t kMany = 1024;
  const auto place = [&](size_t number) { return kMany - std::min<size_t>(uses[number], kMany); };
  std::array<uint32_t, kMany + 2> ends = {};
  for (size_t i = 0; i < uses.size(); ++i) ++ends[place(i) + 1];
  for (size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  NumbersByUse numbers;
  numbers.order.resize(uses.size());
  // Filling a place moves its start to its end.
  for (uint32_t i = 0; i < uses.size(); ++i) numbers.order[ends[place(i)]++] = i;
  std::stable_sort(numbers.order.begin(), numbers.order.begin() + ends[0],
                   [&](uint32_t a, uint32_t b) { return uses[a] > uses[b]; });
  numbers.number.resize(uses.size());
  for (uint32_t n = 0; n < numbers.order.size(); ++n) numbers.number[numbers.order[n]] = n;
  return numbers;
}

}  // namespace dsi::internal
