#include "dsi/reader/filter/predicate_internal.h"

#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/reader/filter/time_values_internal.h"

namespace dsi::internal {

Status CheckComparable(std::string_view name, Kind kind, Type type) {
  if (HasOneValue(kind)) return Status::Ok();
  return InvalidArgument(
      "{} is a {} of {}; only features of one number or string can be compared, others be asked "
      "whether they exist",
      name, KindName(kind), TypeName(type));
}

Status CheckPredicate(const Predicate& predicate, std::string_view name, Kind kind, Type type,
                      TimeUnit unit) {
  if (predicate.compare > Compare::kMissing)
    return InvalidArgument("filter: {}: comparison {} is none that there is", name,
                           static_cast<int>(predicate.compare));
  if (!LooksAtValues(predicate.compare)) return Status::Ok();
  if (Status status = CheckComparable(name, kind, type); !status.ok()) return status.At("filter");
  if (kind == Kind::kTimestamp) return CheckTimes(predicate, name, unit);
  const auto is_text = [](const FilterValue& value) {
    return std::holds_alternative<std::string>(value);
  };
  const bool is_right =
      TakesSet(predicate.compare)
          ? std::all_of(predicate.values.begin(), predicate.values.end(),
                        [&](const FilterValue& v) { return is_text(v) == (type == Type::kBytes); })
          : is_text(predicate.value) == (type == Type::kBytes);
  if (is_right) return Status::Ok();
  if (type == Type::kBytes)
    return InvalidArgument("filter: {} holds strings, which compare with strings, not with numbers",
                           name);
  return InvalidArgument("filter: {} holds {}, which compares with numbers, not with strings", name,
                         TypeName(type));
}

ReadyPredicate::Test ReadyPredicate::TestOf(const Predicate& predicate, Type type, TimeUnit unit) {
  if (!LooksAtValues(predicate.compare))
    return PresenceTest{.missing = predicate.compare == Compare::kMissing};
  if (type == Type::kBytes) return TextComparison(predicate);
  if (unit != TimeUnit::kNone)
    return TestOf(TimesAsNumbers(predicate, unit), type, TimeUnit::kNone);
  if (TakesSet(predicate.compare))
    return NumberSet(predicate.compare == Compare::kNotIn, predicate.values, type);
  return NumberComparison(predicate.compare, predicate.value, type);
}

ReadyPredicate::ReadyPredicate(const Predicate& predicate, Type type, TimeUnit unit)
    : test_(TestOf(predicate, type, unit)) {}

void ReadyPredicate::AndMatches(const std::byte* values, const ShapeView& shape,
                                std::span<const uint32_t> slots, uint8_t* matches) const {
  std::visit([&](const auto& test) { test.AndMatches(values, shape, slots, matches); }, test_);
}

void ReadyPredicate::PresenceTest::AndMatches(const std::byte* /*values*/, const ShapeView& shape,
                                              std::span<const uint32_t> slots,
                                              uint8_t* matches) const {
  for (size_t i = 0; i < slots.size(); ++i) {
    const bool exists = shape.plain || shape.present[slots[i]] != 0;
    matches[i] &= static_cast<uint8_t>(exists != missing);
  }
}

bool ReadyPredicate::MayMatch(const ColumnStatistics& statistics, uint64_t num_rows) const {
  if (const auto* const presence = std::get_if<PresenceTest>(&test_);
      presence != nullptr && presence->missing)
    return statistics.num_missing != 0;
  if (statistics.num_missing == num_rows) return false;
  return std::visit([&](const auto& test) { return test.MayMatch(statistics); }, test_);
}

}  // namespace dsi::internal
