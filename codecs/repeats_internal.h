// How much repeats far away: what a search for matches would find, at a fraction of its cost.
#pragma once

#include <algorithm>
#include <array>
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
  // Hashes are picked without a branch, which would be guessed wrong at every pick.
  constexpr size_t kBlock = 512;
  std::array<uint64_t, kBlock> picked;
  const auto step = static_cast<size_t>(width);
  const size_t places = bytes.size() < 8 ? 0 : (bytes.size() - 8) / step + 1;
  for (size_t first = 0; first < places; first += kBlock) {
    size_t n = 0;
    for (size_t i = first; i < std::min(first + kBlock, places); ++i) {
      uint64_t word;
      std::memcpy(&word, bytes.data() + i * step, sizeof(word));
      picked[n] = word * 0x9E3779B97F4A7C15ULL;
      n += (picked[n] >> 40 & 7) == 0 ? 1 : 0;
    }
    for (const uint64_t hash : std::span(picked).first(n)) {
      const auto tag = static_cast<uint32_t>(hash);
      uint32_t& entry = seen[hash >> shift];
      met += entry == tag ? 1 : 0;
      entry = tag;
    }
    looked += n;
  }
  return looked == 0 ? 0 : static_cast<double>(met) / static_cast<double>(looked);
}

}  // namespace dsi::internal
