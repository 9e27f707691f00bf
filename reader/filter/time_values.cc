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
constexpr uint32_t kNanosPerSecond = 1'000'000'000;

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
  const int64_t per_second = PerSecond(unit);
  const auto nanos_per_tick = static_cast<uint32_t>(kNanosPerSecond / per_second);
  int64_t ticks = 0;
  if (__builtin_mul_overflow(time.seconds, per_second, &ticks) ||
      __builtin_add_overflow(ticks, time.nanos / nanos_per_tick, &ticks)) {
    // Beyond all timestamps of the unit.
    return static_cast<double>(time.seconds) * static_cast<double>(per_second);
  }
  if (!time.beyond_nanos && time.nanos % nanos_per_tick == 0) return ticks;
  switch (compare) {
    case Compare::kLess:
    case Compare::kGreaterEqual:
      if (__builtin_add_overflow(ticks, 1, &ticks)) return 0x1p63;
      return ticks;
    case Compare::kLessEqual:
    case Compare::kGreater:
      return ticks;
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
