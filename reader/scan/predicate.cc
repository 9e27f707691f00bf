#include "dsi/reader/scan/predicate_internal.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

namespace dsi::internal {
namespace {

using Value = decltype(Predicate::value);

// An integer beside the range of T: -1 below, 1 above.
template <typename T>
struct Bounded {
  int beside = 0;
  T value = 0;
};

// The greatest integer that is at most `value`, or with `up` the least that is at least that.
template <typename T>
Bounded<T> RoundInto(const Value& value, bool up) {
  return std::visit(
      [up](auto v) -> Bounded<T> {
        if constexpr (std::is_floating_point_v<decltype(v)>) {
          const double whole = up ? std::ceil(v) : std::floor(v);
          constexpr double kEnd =
              std::is_signed_v<T> ? 0x1p63 : 0x1p64;  // Both ends are exact as doubles.
          if (whole < (std::is_signed_v<T> ? -0x1p63 : 0.0)) return {-1, 0};
          if (whole >= kEnd) return {1, 0};
          return {0, static_cast<T>(whole)};
        } else {
          if (std::in_range<T>(v)) return {0, static_cast<T>(v)};
          return {v < 0 ? -1 : 1, 0};
        }
      },
      value);
}

double ToDouble(const Value& value) {
  return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

// Calls match(value) for present rows. Values need no alignment.
template <typename T, typename Match>
void AndEach(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
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

template <typename T>
void AndCompared(Compare compare, T number, const std::byte* values, const ShapeView& shape,
                 std::span<const uint32_t> slots, uint8_t* matches) {
  const auto run = [&](auto holds) {
    AndEach<T>(values, shape, slots, matches, [&](T value) { return holds(value, number); });
  };
  switch (compare) {
    case Compare::kEqual:
      return run(std::equal_to<T>());
    case Compare::kNotEqual:
      return run(std::not_equal_to<T>());
    case Compare::kLess:
      return run(std::less<T>());
    case Compare::kLessEqual:
      return run(std::less_equal<T>());
    case Compare::kGreater:
      return run(std::greater<T>());
    case Compare::kGreaterEqual:
      return run(std::greater_equal<T>());
  }
}

}  // namespace

ReadyPredicate::ReadyPredicate(Compare compare, const Value& value, Type type)
    : type_(type), compare_(compare) {
  number_ = ToDouble(value);
  if (IsFloat(type)) return;
  if (type == Type::kUint64) {
    SetInterval<uint64_t>(value);
  } else {
    SetInterval<int64_t>(value);
  }
}

template <typename T>
void ReadyPredicate::SetInterval(const Value& value) {
  constexpr T kMin = std::numeric_limits<T>::min();
  constexpr T kMax = std::numeric_limits<T>::max();
  // x > v is not x <= v; x >= v is not x < v. NaN has no place among numbers: nothing but "differs"
  // holds for it.
  const double* const number = std::get_if<double>(&value);
  if (number != nullptr && std::isnan(*number)) {
    never_ = true;
    negate_ = compare_ == Compare::kNotEqual;
    return;
  }
  negate_ = compare_ == Compare::kNotEqual || compare_ == Compare::kGreater ||
            compare_ == Compare::kGreaterEqual;
  const Bounded<T> floor = RoundInto<T>(value, false);
  const Bounded<T> ceil = RoundInto<T>(value, true);
  T low = kMin;
  T high = kMax;
  switch (compare_) {
    case Compare::kEqual:
    case Compare::kNotEqual:
      never_ = floor.beside != 0 || ceil.beside != 0 || floor.value != ceil.value;
      low = high = floor.value;
      break;
    case Compare::kLess:
    case Compare::kGreaterEqual:
      never_ = ceil.beside < 0 || (ceil.beside == 0 && ceil.value == kMin);
      if (!never_ && ceil.beside == 0) high = ceil.value - 1;
      break;
    case Compare::kLessEqual:
    case Compare::kGreater:
      never_ = floor.beside < 0;
      if (!never_ && floor.beside == 0) high = floor.value;
      break;
  }
  low_ = static_cast<uint64_t>(low);
  distance_ = static_cast<uint64_t>(high) - low_;
}

void ReadyPredicate::AndMatches(const std::byte* values, const ShapeView& shape,
                                std::span<const uint32_t> slots, uint8_t* matches) const {
  const auto in_interval = [&](auto value) {
    // Sign extension makes one subtraction do for all widths.
    using Wide = std::conditional_t<std::is_signed_v<decltype(value)>, int64_t, uint64_t>;
    const uint64_t bits = static_cast<uint64_t>(static_cast<Wide>(value));
    return (!never_ && bits - low_ <= distance_) != negate_;
  };
  const auto run = [&](auto zero) {
    AndEach<decltype(zero)>(values, shape, slots, matches, in_interval);
  };
  switch (type_) {
    case Type::kFloat32:
      return AndCompared(compare_, static_cast<float>(number_), values, shape, slots, matches);
    case Type::kFloat64:
      return AndCompared(compare_, number_, values, shape, slots, matches);
    case Type::kInt8:
      return run(int8_t{});
    case Type::kInt16:
      return run(int16_t{});
    case Type::kInt32:
      return run(int32_t{});
    case Type::kInt64:
      return run(int64_t{});
    case Type::kBool:
    case Type::kUint8:
    case Type::kBytes:
      return run(uint8_t{});
    case Type::kUint16:
      return run(uint16_t{});
    case Type::kUint32:
      return run(uint32_t{});
    case Type::kUint64:
      return run(uint64_t{});
  }
}

bool ReadyPredicate::MayMatch(const ColumnStatistics& statistics, uint32_t num_rows) const {
  if (statistics.num_missing == num_rows) return false;
  if (IsFloat(type_)) return MayMatchFloats(statistics);
  if (never_) return negate_;
  // As SetInterval has it: only the numbers of uint64 are none of int64.
  const Type wide = type_ == Type::kUint64 ? Type::kUint64 : Type::kInt64;
  const uint64_t low = OrderedBits(wide, low_);
  const uint64_t high = low + distance_;
  const uint64_t least = OrderedBits(wide, statistics.least);
  const uint64_t greatest = OrderedBits(wide, statistics.greatest);
  return negate_ ? least < low || greatest > high : least <= high && greatest >= low;
}

bool ReadyPredicate::MayMatchFloats(const ColumnStatistics& statistics) const {
  if (compare_ == Compare::kNotEqual) return true;  // There may be NaN.
  if (!statistics.has_bounds) return false;
  const auto number = [this](uint64_t bits) -> double {
    if (type_ == Type::kFloat64) return std::bit_cast<double>(bits);
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  };
  const double value = type_ == Type::kFloat32 ? static_cast<float>(number_) : number_;
  const double least = number(statistics.least);
  const double greatest = number(statistics.greatest);
  switch (compare_) {
    case Compare::kLess:
      return least < value;
    case Compare::kLessEqual:
      return least <= value;
    case Compare::kGreater:
      return greatest > value;
    case Compare::kGreaterEqual:
      return greatest >= value;
    default:
      return least <= value && value <= greatest;
  }
}

}  // namespace dsi::internal
