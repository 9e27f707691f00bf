// From floats to integers and exceptions: the encoding side of decimals (E-120).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "dsi/codecs/decimal/decimal_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::internal {

// The float type of these bits.
template <typename T>
using FloatOf = std::conditional_t<sizeof(T) == 4, float, double>;

// True where the bits are those of an integer divided by 10^exponent. Never -0.0, NaN or infinity.
template <typename T>
bool IsDecimal(T bits, int exponent, int64_t* integer) {
  using Float = FloatOf<T>;
  constexpr auto kLimit = static_cast<double>(uint64_t{1} << DecimalIntegerBits(sizeof(T)));
  const double power = kPowersOfTen[static_cast<size_t>(exponent)];
  const double product = static_cast<double>(std::bit_cast<Float>(bits)) * power;
  if (!(product > -kLimit && product < kLimit - 1)) return false;
  // The product may be off by less than a half; whether the integer is right, its quotient says.
  *integer = static_cast<int64_t>(product + (product < 0 ? -0.5 : 0.5));
  const Float value = static_cast<Float>(*integer) / static_cast<Float>(power);
  return std::bit_cast<T>(value) == bits;
}

// An array as integers; exceptions repeat the integer before them, so that they cost little.
template <typename T>
struct Decimals {
  std::vector<int64_t> integers;
  std::vector<uint32_t> positions;
  std::vector<T> exceptions;
  int64_t smallest = 0;
  uint64_t range = 0;  // Greatest integer less the smallest.
};

// False as soon as there are more than `most_exceptions`.
template <typename T>
bool FindDecimals(std::span<const T> values, int exponent, size_t most_exceptions,
                  Decimals<T>* found) {
  found->integers.resize(values.size());
  int64_t smallest = std::numeric_limits<int64_t>::max();
  int64_t greatest = std::numeric_limits<int64_t>::min();
  int64_t last = 0;
  size_t first_decimal = values.size();
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t integer = 0;
    if (IsDecimal(values[i], exponent, &integer)) {
      smallest = std::min(smallest, integer);
      greatest = std::max(greatest, integer);
      if (first_decimal == values.size()) first_decimal = i;
      last = integer;
    } else {
      if (found->positions.size() == most_exceptions) return false;
      found->positions.push_back(static_cast<uint32_t>(i));
      found->exceptions.push_back(values[i]);
    }
    found->integers[i] = last;
  }
  if (first_decimal == values.size()) return false;
  // What stands before the first decimal has none before it.
  std::fill_n(found->integers.begin(), first_decimal, found->integers[first_decimal]);
  found->smallest = smallest;
  found->range = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(smallest);
  return true;
}

// The exponent that makes a few values of the sample smallest, or -1 where they do not look like
// decimals. Costs a few microseconds, and next to nothing where the first values already tell.
template <typename T>
int ChooseExponent(std::span<const T> sample) {
  constexpr size_t kProbes = 64;
  constexpr size_t kFirstLook = 8;
  constexpr int kExceptionBits = 8 * static_cast<int>(sizeof(T)) + 16;
  constexpr int kMaxExponent = MaxDecimalExponent(sizeof(T));
  // Zeros are decimals of every exponent and tell nothing.
  std::vector<T> probes;
  const size_t step = std::max<size_t>(1, sample.size() / (4 * kProbes));
  for (size_t i = 0; i < sample.size() && probes.size() < kProbes; i += step) {
    if (sample[i] != 0) probes.push_back(sample[i]);
  }
  if (probes.size() < kFirstLook) return -1;
  uint32_t needed = 0;
  size_t decimals = 0;
  for (size_t i = 0; i < probes.size(); ++i) {
    if (i == kFirstLook && decimals < kFirstLook / 2) return -1;
    int64_t integer = 0;
    int exponent = 0;
    while (exponent <= kMaxExponent && !IsDecimal(probes[i], exponent, &integer)) ++exponent;
    if (exponent > kMaxExponent) continue;
    ++decimals;
    needed |= uint32_t{1} << exponent;
  }
  if (decimals < probes.size() - probes.size() / 4) return -1;
  int best = -1;
  size_t best_bits = probes.size() * 8 * sizeof(T);
  for (int exponent = 0; exponent <= kMaxExponent; ++exponent) {
    if ((needed >> exponent & 1) == 0) continue;
    Decimals<T> found;
    if (!FindDecimals(std::span<const T>(probes), exponent, probes.size(), &found)) continue;
    const size_t exceptions = found.positions.size();
    const size_t bits = (probes.size() - exceptions) * static_cast<size_t>(BitsFor(found.range)) +
                        exceptions * kExceptionBits;
    if (bits >= best_bits) continue;
    best = exponent;
    best_bits = bits;
  }
  return best;
}

}  // namespace dsi::internal
