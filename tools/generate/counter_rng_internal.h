// Random numbers that are pure functions of a key and a counter.
//
// A generated value depends only on (seed, feature, session, step), so any row can be made again
// without the rows before it, and reordering the rows never changes one of them. All functions are
// plain arithmetic on 64-bit integers and IEEE doubles, but for GeometricFromBits and
// NormalFromBits, which take logarithms from libm; what they give is rounded afterwards.
#pragma once

#include <cmath>
#include <cstdint>

#include "dsi/base/logarithm_internal.h"

namespace dsi::tools {

// The finaliser of splitmix64: a bijection whose output bits all depend on all input bits.
inline uint64_t Mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// A key for one part of what `key` stands for. The parts are independent streams.
inline uint64_t DeriveKey(uint64_t key, uint64_t part) {
  return Mix64(Mix64(key + 0x9E3779B97F4A7C15ull) + (part + 1) * 0xD1B54A32D192ED03ull);
}

// Number `counter` of the stream of `key`.
inline uint64_t DrawBits(uint64_t key, uint64_t counter) {
  return Mix64(key + (counter + 1) * 0x9E3779B97F4A7C15ull);
}

// In [0, 1), with 53 bits.
inline double UnitFromBits(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// In [0, bound): the high half of a product, whose bias is below 2^-32 for the bounds used here.
inline uint32_t BoundedFromBits(uint64_t bits, uint32_t bound) {
  return static_cast<uint32_t>(((bits >> 32) * bound) >> 32);
}

// An event of probability p, as a threshold on the high 32 bits of a draw.
inline uint64_t ProbabilityThreshold(double p) {
  if (p <= 0) return 0;
  if (p >= 1) return uint64_t{1} << 32;
  return static_cast<uint64_t>(p * 0x1p32);
}

inline bool Happens(uint64_t bits, uint64_t threshold) { return (bits >> 32) < threshold; }

// On {1, 2, ...} with the given mean.
inline uint32_t GeometricFromBits(uint64_t bits, double mean) {
  if (mean <= 1) return 1;
  const double u = UnitFromBits(bits) + 0x1p-54;
  return 1 + static_cast<uint32_t>(std::log(u) / std::log1p(-1 / mean));
}

// A time until the next of events that come at random: exponential, at least 1, the same on every
// machine.
inline int64_t WaitFromBits(uint64_t bits, double mean) {
  constexpr double kLn2 = 0.6931471805599453;
  return 1 + static_cast<int64_t>(-internal::Log2(UnitFromBits(bits) + 0x1p-54) * kLn2 * mean);
}

// A rank in [1, 2^22] whose density falls like rank^-1.05: a bounded Pareto law, inverted. The
// inverse needs the power -1/0.05 = -20, so five products and a division make it.
inline constexpr uint32_t kRankCount = 1u << 22;
inline uint32_t ParetoRankFromBits(uint64_t bits) {
  constexpr double kTail = 0.46651649576840370504;  // (2^22)^-0.05 = 2^-1.1
  const double t = 1 - UnitFromBits(bits) * (1 - kTail);
  const double t2 = t * t;
  const double t4 = t2 * t2;
  const double t8 = t4 * t4;
  const double rank = 1 / (t8 * t8 * t4);
  return rank < kRankCount ? static_cast<uint32_t>(rank) : kRankCount;
}

// A 63-bit hash, as production ids are: what a rank or a running number looks like in a log.
inline int64_t HashedId(uint64_t number, uint64_t space) {
  return static_cast<int64_t>(Mix64(number + (space << 40) + 0x9E3779B97F4A7C15ull) >> 1);
}

// A standard normal number: the inverse of the distribution function after P. J. Acklam
// (relative error 1.2e-9, far below the 11 bits that are kept).
inline double NormalFromBits(uint64_t bits) {
  const double p = UnitFromBits(bits) + 0x1p-54;
  const double tail = p < 0.5 ? p : 1 - p;
  if (tail < 0.02425) {
    const double q = std::sqrt(-2 * std::log(tail));
    const double x =
        (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q -
           2.549732539343734e+00) *
              q +
          4.374664141464968e+00) *
             q +
         2.938163982698783e+00) /
        ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q +
          3.754408661907416e+00) *
             q +
         1);
    return p < 0.5 ? x : -x;
  }
  const double q = p - 0.5;
  const double r = q * q;
  return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
            1.383577518672690e+02) *
               r -
           3.066479806614716e+01) *
              r +
          2.506628277459239e+00) *
         q /
         (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
            6.680131188771972e+01) *
               r -
           1.328068155288572e+01) *
              r +
          1);
}

}  // namespace dsi::tools
