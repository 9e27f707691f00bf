#include "dsi/reader/filter/number_set_internal.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "dsi/reader/filter/number_rows_internal.h"

namespace dsi::internal {
namespace {

template <typename T>
std::vector<T> MembersOf(std::span<const FilterValue> values, Type type) {
  std::vector<T> members;
  members.reserve(values.size());
  for (const FilterValue& value : values) {
    const double* const real = std::get_if<double>(&value);
    if (real != nullptr && std::isnan(*real)) continue;  // Differs from everything.
    if constexpr (std::is_same_v<T, double>) {
      members.push_back(ToDouble(value, type));
    } else {
      const Bounded<T> floor = RoundInto<T>(value, false);
      const Bounded<T> ceil = RoundInto<T>(value, true);
      if (floor.beside == 0 && ceil.beside == 0 && floor.value == ceil.value)
        members.push_back(floor.value);
    }
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

template <typename T>
bool Contains(const std::vector<T>& members, T value) {
  if (members.empty() || !(value >= members.front() && value <= members.back())) return false;
  return std::binary_search(members.begin(), members.end(), value);
}

}  // namespace

NumberSet::NumberSet(bool negate, std::span<const FilterValue> values, Type type)
    : type_(type), negate_(negate) {
  if (IsFloat(type)) {
    members_ = MembersOf<double>(values, type);
  } else if (type == Type::kUint64) {
    members_ = MembersOf<uint64_t>(values, type);
  } else {
    members_ = MembersOf<int64_t>(values, type);
  }
}

void NumberSet::AndMatches(const std::byte* values, const ShapeView& shape,
                           std::span<const uint32_t> slots, uint8_t* matches) const {
  std::visit(
      [&]<typename Wide>(const std::vector<Wide>& members) {
        WithNumber(type_, [&](auto zero) {
          using T = decltype(zero);
          // Neighbours are often equal.
          T last{};
          bool matched = Contains(members, static_cast<Wide>(last)) != negate_;
          AndNumbers<T>(values, shape, slots, matches, [&](T value) {
            if (value == last) return matched;
            last = value;
            matched = Contains(members, static_cast<Wide>(value)) != negate_;
            return matched;
          });
        });
      },
      members_);
}

bool NumberSet::MayMatch(const ColumnStatistics& statistics) const {
  if (negate_ && IsFloat(type_)) return true;  // There may be NaN.
  if (!statistics.has_bounds) return false;
  return std::visit(
      [&]<typename Wide>(const std::vector<Wide>& members) {
        const auto number = [this](uint64_t bits) {
          if constexpr (std::is_same_v<Wide, double>)
            return FloatOfBits(type_, bits);
          else
            return static_cast<Wide>(bits);
        };
        const Wide least = number(statistics.least);
        const Wide greatest = number(statistics.greatest);
        if (negate_) return least != greatest || !Contains(members, least);
        const auto at = std::lower_bound(members.begin(), members.end(), least);
        return at != members.end() && *at <= greatest;
      },
      members_);
}

}  // namespace dsi::internal
