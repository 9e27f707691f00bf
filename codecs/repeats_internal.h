// How much repeats far away: what a search for matches would find, at a fraction of its cost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace dsi::internal {

// Repeats of an array that are this much more than those of a part matter: the part hides them.
inline constexpr double kHiddenRepeats = 0.125;

// The share of places, each at the start of a value, whose eight bytes were met before, however far
// away. Looks at one place in eight, by a hash of them: at all that are equal or at none.
inline double RepeatShare(std::span<const std::byte> bytes, int width) {
  // Two entries for each place looked at.
  const size_t entries = std::max(size_t{256}, bytes.size() / static_cast<size_t>(width) / 4);
  const int shift = std::countl_zero(uint64_t{std::bit_ceil(entries)}) + 1;
  std::vector<uint32_t> seen(std::bit_ceil(entries));
  size_t met = 0;
  size_t looked = 0;
  for (size_t i = 0; i + 8 <= bytes.size(); i += static_cast<size_t>(width)) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    const uint64_t hash = word * 0x9E3779B97F4A7C15ULL;
    if ((hash >> 40 & 7) != 0) continue;
    const auto tag = static_cast<uint32_t>(hash);
    uint32_t& entry = seen[hash >> shift];
    met += entry == tag ? 1 : 0;
    entry = tag;
    ++looked;
  }
  return looked == 0 ? 0 : static_cast<double>(met) / static_cast<double>(looked);
}

}  // namespace dsi::internal
