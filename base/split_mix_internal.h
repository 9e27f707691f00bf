// Numbers that look random, worked out from where they stand (SplitMix64: Steele, Lea, Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014).
#pragma once

#include <cstdint>

namespace dsi::internal {

// Its finaliser: a bijection of 64 bits, every one of which depends on all of x (spec DO-001).
inline uint64_t Mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

inline constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ULL;  // 2^64 / the golden ratio.

// The i-th number, from 1, of a generator begun at `seed`.
inline uint64_t SplitMix64(uint64_t seed, uint64_t i) { return Mix64(seed + i * kGolden); }

}  // namespace dsi::internal
