// Logarithms and powers that are the same on every machine.
//
// What the writer chooses must not depend on where it runs, and the last bits of libm's functions
// do: it takes other code where the CPU has fused multiply-add. These use the four operations that
// IEEE 754 rounds in one way only. Relative error below 1e-12.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace dsi::internal {

// Of a finite number above 0 that is no subnormal; -1023 for 0.
inline double Log2(double x) {
  constexpr int kMantissaBits = 52;
  constexpr uint64_t kMantissa = (uint64_t{1} << kMantissaBits) - 1;
  constexpr uint64_t kOne = uint64_t{1023} << kMantissaBits;
  constexpr double kRootOfTwo = 1.4142135623730951;
  constexpr double kTwoByLn2 = 2.8853900817779268;
  if (x <= 0) return -1023;
  const auto bits = std::bit_cast<uint64_t>(x);
  double exponent = static_cast<double>(static_cast<int64_t>(bits >> kMantissaBits) - 1023);
  double mantissa = std::bit_cast<double>((bits & kMantissa) | kOne);
  if (mantissa > kRootOfTwo) {
    mantissa /= 2;
    exponent += 1;
  }
  // ln m = 2 (t + t^3 / 3 + t^5 / 5 + ...) with t = (m - 1) / (m + 1), at most 0.172 here.
  const double t = (mantissa - 1) / (mantissa + 1);
  const double square = t * t;
  double sum = 1.0 / 17;
  for (const double term : {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0})
    sum = sum * square + term;
  return exponent + kTwoByLn2 * t * sum;
}

// 0 below the normal numbers; at most 2^1023.
inline double Exp2(double x) {
  constexpr double kLn2 = 0.6931471805599453;
  constexpr int kMantissaBits = 52;
  if (x < -1022) return 0;
  if (x > 1023) x = 1023;
  const auto whole = static_cast<int64_t>(x < 0 ? x - 0.5 : x + 0.5);
  // Taylor's series of e^y for |y| up to ln 2 / 2.
  const double y = (x - static_cast<double>(whole)) * kLn2;
  double sum = 1;
  for (int n = 13; n >= 1; --n) sum = 1 + sum * y / n;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(whole + 1023) << kMantissaBits);
}

// e^x.
inline double Exp(double x) { return Exp2(x * 1.4426950408889634); }

// base^exponent; base above 0.
inline double Pow(double base, double exponent) { return Exp2(exponent * Log2(base)); }

}  // namespace dsi::internal
