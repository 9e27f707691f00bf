// Converts a number to another type, and says whether it fits. A float64 asked for as float32 is
// rounded to nearest, and fits unless a finite one becomes infinite; every other conversion is
// exact or does not fit: whole numbers to floats as well as floats to whole numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dsi/format/types.h"

namespace dsi::internal {

// Whole numbers are ids and counts: a float type takes those that it holds exactly, up to 2^24 or
// 2^53 and multiples of ever larger powers of two beyond.
template <typename To, typename From>
constexpr bool ConvertWhole(From value, To* out) {
  *out = static_cast<To>(value);
  if constexpr (std::is_floating_point_v<To>) {
    constexpr From kExact = From{1} << std::numeric_limits<To>::digits;
    if constexpr (std::is_signed_v<From>) {
      if (value >= -kExact && value <= kExact) return true;
    } else {
      if (value <= kExact) return true;
    }
    // 2^63 and 2^64 themselves may be what rounding gives; casting them back would be undefined.
    constexpr To kEnd = std::is_signed_v<From> ? 0x1p63 : 0x1p64;
    return *out < kEnd && static_cast<From>(*out) == value;
  } else {
    return std::in_range<To>(value);
  }
}

// What to say of a whole number that a float type does not take.
constexpr std::string_view AdviceOnWhole(Type type) {
  return type == Type::kFloat32
             ? "which float32 does not hold exactly: declare float64, or an integer type"
             : "which float64 does not hold exactly: declare an integer type";
}

template <typename To>
bool ConvertDouble(double value, To* out) {
  if constexpr (std::is_same_v<To, double>) {
    *out = value;
    return true;
  } else if constexpr (std::is_same_v<To, float>) {
    *out = static_cast<float>(value);
    return std::isinf(value) || !std::isinf(*out);
  } else {
    constexpr int kBits = std::numeric_limits<To>::digits;
    const double end = std::ldexp(1.0, kBits);
    const double begin = std::is_signed_v<To> ? -end : 0.0;
    if (!(value >= begin && value < end)) return false;
    *out = static_cast<To>(value);
    return static_cast<double>(*out) == value;
  }
}

template <typename To, typename From>
bool ConvertNumber(From value, To* out) {
  if constexpr (std::is_floating_point_v<From>) {
    return ConvertDouble(double{value}, out);
  } else if constexpr (std::is_signed_v<From>) {
    return ConvertWhole(int64_t{value}, out);
  } else {
    return ConvertWhole(uint64_t{value}, out);
  }
}

}  // namespace dsi::internal
