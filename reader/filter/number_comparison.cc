#include "dsi/reader/filter/number_comparison_internal.h"

#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "dsi/reader/filter/number_rows_internal.h"

namespace dsi::internal {
namespace {

template <typename T>
void AndCompared(Compare compare, T number, const std::byte* values, const ShapeView& shape,
                 std::span<const uint32_t> slots, uint8_t* matches) {
  const auto run = [&](auto holds) {
    AndNumbers<T>(values, shape, slots, matches, [&](T value) { return holds(value, number); });
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
    default:
      return run(std::greater_equal<T>());
  }
}

}  // namespace

NumberComparison::NumberComparison(Compare compare, const FilterValue& value, Type type)
    : type_(type), compare_(compare) {
  if (IsFloat(type)) {
    number_ = ToDouble(value, type);
    return;
  }
  if (type == Type::kUint64) {
    SetInterval<uint64_t>(value);
  } else {
    SetInterval<int64_t>(value);
  }
}

template <typename T>
void NumberComparison::SetInterval(const FilterValue& value) {
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
    default:
      break;
  }
  low_ = static_cast<uint64_t>(low);
  distance_ = static_cast<uint64_t>(high) - low_;
}

void NumberComparison::AndMatches(const std::byte* values, const ShapeView& shape,
                                  std::span<const uint32_t> slots, uint8_t* matches) const {
  const auto in_interval = [&](auto value) {
    // Sign extension makes one subtraction do for all widths.
    using Wide = std::conditional_t<std::is_signed_v<decltype(value)>, int64_t, uint64_t>;
    const uint64_t bits = static_cast<uint64_t>(static_cast<Wide>(value));
    return (!never_ && bits - low_ <= distance_) != negate_;
  };
  WithNumber(type_, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      AndCompared(compare_, static_cast<T>(number_), values, shape, slots, matches);
    } else {
      AndNumbers<T>(values, shape, slots, matches, in_interval);
    }
  });
}

bool NumberComparison::MayMatch(const ColumnStatistics& statistics) const {
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

bool NumberComparison::MayMatchFloats(const ColumnStatistics& statistics) const {
  if (compare_ == Compare::kNotEqual) return true;  // There may be NaN.
  if (!statistics.has_bounds) return false;
  const double value = number_;
  const double least = FloatOfBits(type_, statistics.least);
  const double greatest = FloatOfBits(type_, statistics.greatest);
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
