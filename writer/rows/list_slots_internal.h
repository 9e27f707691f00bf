// How many lists of each feature are remembered, by whatever looks for lists that came before.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace dsi::internal {

inline constexpr size_t kFewestListSlots = 64;

// At most, of each of so many features: a power of two.
inline size_t MostListSlots(size_t num_features) {
  constexpr size_t kMost = 1U << 15;       // Of a feature.
  constexpr size_t kMostOfAll = 1U << 20;  // About: of all features.
  return std::bit_floor(
      std::clamp(kMostOfAll / std::max<size_t>(num_features, 1), kFewestListSlots, kMost));
}

}  // namespace dsi::internal
