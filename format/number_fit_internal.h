// Converts a number to a narrower type, and says whether it fits. A float64 asked for as float32 is
// rounded to nearest; everything else is exact or does not fit.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace dsi::internal {

template <typename To, typename From>
constexpr bool ConvertWhole(From value, To* out) {
  if constexpr (std::is_same_v<To, float>) {
    *out = static_cast<float>(value);
    return true;
  } else if constexpr (std::is_same_v<To, double>) {
    *out = static_cast<double>(value);
    constexpr From kExact = From{1} << 53;
    if constexpr (std::is_signed_v<From>) {
      if (value >= -kExact && value <= kExact) return true;
    } else {
      if (value <= kExact) return true;
    }
    // 2^63 and 2^64 themselves may be what rounding gives; casting them back would be undefined.
    constexpr double kEnd = std::is_signed_v<From> ? 0x1p63 : 0x1p64;
    return *out < kEnd && static_cast<From>(*out) == value;
  } else {
    *out = static_cast<To>(value);
    return std::in_range<To>(value);
  }
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
  if constexpr (std::is_same_v<From, double>) {
    return ConvertDouble(value, out);
  } else {
    return ConvertWhole(value, out);
  }
}

}  // namespace dsi::internal
