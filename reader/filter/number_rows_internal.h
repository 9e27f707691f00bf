// What tests of numbers share: the rows of a column, and values of a filter in its type.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "dsi/format/types.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

// matches[i] &= the row slots[i] is present and match(its value). Values need no alignment.
template <typename T, typename Match>
void AndNumbers(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
                uint8_t* matches, const Match& match) {
  const auto at = [values](uint64_t i) {
    T value;
    std::memcpy(&value, values + i * sizeof(T), sizeof(T));
    return value;
  };
  if (shape.plain) {
    for (size_t i = 0; i < slots.size(); ++i)
      matches[i] &= static_cast<uint8_t>(match(at(slots[i])));
    return;
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    const uint32_t slot = slots[i];
    const bool matched = shape.present[slot] != 0 && match(at(shape.starts[slot]));
    matches[i] &= static_cast<uint8_t>(matched);
  }
}

// Calls use(T{}) with the type of a column of numbers.
template <typename Use>
void WithNumber(Type type, const Use& use) {
  switch (type) {
    case Type::kFloat32:
      return use(float{});
    case Type::kFloat64:
      return use(double{});
    case Type::kInt8:
      return use(int8_t{});
    case Type::kInt16:
      return use(int16_t{});
    case Type::kInt32:
      return use(int32_t{});
    case Type::kInt64:
      return use(int64_t{});
    case Type::kBool:
    case Type::kUint8:
    case Type::kBytes:
      return use(uint8_t{});
    case Type::kUint16:
      return use(uint16_t{});
    case Type::kUint32:
      return use(uint32_t{});
    case Type::kUint64:
      return use(uint64_t{});
  }
}

// An integer beside the range of T: -1 below, 1 above.
template <typename T>
struct Bounded {
  int beside = 0;
  T value = 0;
};

// The greatest integer that is at most `value`, or with `up` the least that is at least that.
// `value` is a number, not NaN.
template <typename T>
Bounded<T> RoundInto(const FilterValue& value, bool up) {
  return std::visit(
      [up](const auto& v) -> Bounded<T> {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_floating_point_v<V>) {
          const double whole = up ? std::ceil(v) : std::floor(v);
          constexpr double kEnd =
              std::is_signed_v<T> ? 0x1p63 : 0x1p64;  // Both ends are exact as doubles.
          if (whole < (std::is_signed_v<T> ? -0x1p63 : 0.0)) return {-1, 0};
          if (whole >= kEnd) return {1, 0};
          return {0, static_cast<T>(whole)};
        } else if constexpr (std::is_integral_v<V>) {
          if (std::in_range<T>(v)) return {0, static_cast<T>(v)};
          return {v < 0 ? -1 : 1, 0};
        } else {
          return {};
        }
      },
      value);
}

// As a column of floats compares with it; `value` is a number.
inline double ToDouble(const FilterValue& value, Type type) {
  const double number = std::visit(
      [](const auto& v) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>)
          return static_cast<double>(v);
        else
          return 0.0;
      },
      value);
  return type == Type::kFloat32 ? static_cast<float>(number) : number;
}

// A bound of the statistics of a column of floats.
inline double FloatOfBits(Type type, uint64_t bits) {
  if (type == Type::kFloat64) return std::bit_cast<double>(bits);
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

}  // namespace dsi::internal
