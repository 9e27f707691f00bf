#include "dsi/reader/filter/predicate_internal.h"

#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/reader/filter/time_values_internal.h"

namespace dsi::internal {
namespace {

// What it compares with are strings, or none is.
bool AreAll(const Predicate& predicate, bool texts) {
  const auto is_right = [texts](const FilterValue& value) {
    return std::holds_alternative<std::string>(value) == texts;
  };
  if (!TakesSet(predicate.compare)) return is_right(predicate.value);
  return std::all_of(predicate.values.begin(), predicate.values.end(), is_right);
}

}  // namespace

std::vector<const Predicate*> AlternativesOf(const Predicate& predicate) {
  std::vector<const Predicate*> all = {&predicate};
  for (const Predicate& other : predicate.alternatives) {
    const std::vector<const Predicate*> some = AlternativesOf(other);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Status CheckHasLength(std::string_view name, Kind kind, Type type) {
  if (HasLengths(kind, type)) return Status::Ok();
  return InvalidArgument("{} is a {} of {}, which has no length; lists and strings have one", name,
                         KindName(kind), TypeName(type));
}

Status CheckComparable(std::string_view name, Kind kind, Type type) {
  if (HasOneValue(kind)) return Status::Ok();
  return InvalidArgument(
      "{} is a {} of {}; only features of one number or string can be compared, lists be asked for "
      "their length, and all whether they exist",
      name, KindName(kind), TypeName(type));
}

Status CheckPredicate(const Predicate& predicate, std::string_view name, Kind kind, Type type,
                      TimeUnit unit) {
  if (predicate.compare > Compare::kMissing)
    return InvalidArgument("filter: {}: comparison {} is none that there is", name,
                           static_cast<int>(predicate.compare));
  if (predicate.subject > Subject::kHash)
    return InvalidArgument("filter: {}: subject {} is none that there is", name,
                           static_cast<int>(predicate.subject));
  if (!TakesValue(predicate.compare)) return Status::Ok();
  if (predicate.subject == Subject::kLength) {
    if (Status status = CheckHasLength(name, kind, type); !status.ok()) return status.At("filter");
    if (AreAll(predicate, /*texts=*/false)) return Status::Ok();
    return InvalidArgument("filter: the length of {} compares with numbers, not with strings",
                           name);
  }
  if (Status status = CheckComparable(name, kind, type); !status.ok()) return status.At("filter");
  if (predicate.subject == Subject::kHash) {
    const bool is_order =
        predicate.compare >= Compare::kLess && predicate.compare <= Compare::kGreaterEqual;
    if (is_order && AreAll(predicate, /*texts=*/false)) return Status::Ok();
    return InvalidArgument(
        "filter: the hash of {} is a number of 0 to 1; expected < <= > or >= and a number", name);
  }
  if (kind == Kind::kTimestamp) return CheckTimes(predicate, name, unit);
  if (AreAll(predicate, type == Type::kBytes)) return Status::Ok();
  if (type == Type::kBytes)
    return InvalidArgument("filter: {} holds strings, which compare with strings, not with numbers",
                           name);
  return InvalidArgument("filter: {} holds {}, which compares with numbers, not with strings", name,
                         TypeName(type));
}

ReadyPredicate::Test ReadyPredicate::TestOf(const Predicate& predicate, Type type, TimeUnit unit) {
  if (!TakesValue(predicate.compare))
    return PresenceTest{.missing = predicate.compare == Compare::kMissing};
  const auto of_numbers = [](const Predicate& p, Type of) -> Test {
    if (TakesSet(p.compare)) return NumberSet(p.compare == Compare::kNotIn, p.values, of);
    return NumberComparison(p.compare, p.value, of);
  };
  if (predicate.subject == Subject::kLength) return of_numbers(predicate, Type::kUint32);
  if (predicate.subject == Subject::kHash) return HashComparison(predicate, type);
  if (type == Type::kBytes) return TextComparison(predicate);
  if (unit != TimeUnit::kNone) return of_numbers(TimesAsNumbers(predicate, unit), type);
  return of_numbers(predicate, type);
}

ReadyPredicate::ReadyPredicate(const Predicate& predicate, Type type, TimeUnit unit)
    : test_(TestOf(predicate, type, unit)),
      of_length_(TakesValue(predicate.compare) && predicate.subject == Subject::kLength) {}

void ReadyPredicate::AndMatches(const std::byte* values, const ShapeView& shape,
                                std::span<const uint32_t> slots, uint8_t* matches) const {
  const auto run = [&](const std::byte* of, const ShapeView& as) {
    std::visit([&](const auto& test) { test.AndMatches(of, as, slots, matches); }, test_);
  };
  if (!of_length_) return run(values, shape);
  PresenceTest{.missing = false}.AndMatches(nullptr, shape, slots, matches);
  // Lengths are one number for each row.
  ShapeView one_each;
  one_each.plain = true;
  run(reinterpret_cast<const std::byte*>(shape.lengths), one_each);
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
  if (of_length_) return true;
  return std::visit([&](const auto& test) { return test.MayMatch(statistics); }, test_);
}

}  // namespace dsi::internal
