#include "dsi/reader/filter/time_values_internal.h"

#include <string>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/iso_time_internal.h"
#include "dsi/reader/filter/predicate_internal.h"

namespace dsi::internal {
namespace {

// What no timestamp is equal to.
constexpr double kBetween = 0.5;
// Above all, or with a sign below all.
constexpr double kBeyond = 0x1p64;

Status CheckTime(const FilterValue& value, std::string_view name, TimeUnit unit) {
  const auto* const text = std::get_if<std::string>(&value);
  IsoTime time;
  if (text == nullptr || ParseIsoTime(*text, &time)) return Status::Ok();
  return InvalidArgument("filter: {}: {} is not {}", name, QuoteForMessage(*text),
                         ExpectedTime(unit));
}

FilterValue AsNumber(const FilterValue& value, TimeUnit unit, Compare compare) {
  const auto* const text = std::get_if<std::string>(&value);
  IsoTime time;
  if (text == nullptr || !ParseIsoTime(*text, &time)) return value;
  int64_t floor = 0;
  bool is_exact = false;
  if (!FloorToUnit(time, unit, &floor, &is_exact)) return time.seconds < 0 ? -kBeyond : kBeyond;
  if (is_exact) return floor;
  switch (compare) {
    case Compare::kLess:
    case Compare::kGreaterEqual:
      if (floor == INT64_MAX) return 0x1p63;
      return floor + 1;
    case Compare::kLessEqual:
    case Compare::kGreater:
      return floor;
    default:
      return kBetween;
  }
}

}  // namespace

Status CheckTimes(const Predicate& predicate, std::string_view name, TimeUnit unit) {
  if (!TakesSet(predicate.compare)) return CheckTime(predicate.value, name, unit);
  for (const FilterValue& value : predicate.values)
    DSI_RETURN_IF_ERROR(CheckTime(value, name, unit));
  return Status::Ok();
}

Predicate TimesAsNumbers(const Predicate& predicate, TimeUnit unit) {
  Predicate numbers = predicate;
  numbers.value = AsNumber(predicate.value, unit, predicate.compare);
  for (FilterValue& value : numbers.values) value = AsNumber(value, unit, predicate.compare);
  return numbers;
}

}  // namespace dsi::internal
