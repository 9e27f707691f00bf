// A text as a time: what ISO 8601 says fits the unit that its fraction needs, and numbers come back
// from a finer unit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dsi/format/iso_time_internal.h"

namespace {

using dsi::TimeUnit;

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dsi::internal::IsoTime time;
  int64_t value = 0;
  if (dsi::internal::ParseIsoTime(text, &time)) {
    Require(time.nanos < 1'000'000'000);
    const TimeUnit unit = dsi::internal::UnitOfDigits(time.digits);
    // Years of four digits fit all units but nanoseconds.
    if (unit != TimeUnit::kNanos) Require(dsi::internal::IsoToUnit(time, unit, &value).ok());
    (void)dsi::internal::IsoToUnit(time, TimeUnit::kNanos, &value);
  }
  constexpr TimeUnit kUnits[] = {TimeUnit::kSeconds, TimeUnit::kMillis, TimeUnit::kMicros,
                                 TimeUnit::kNanos};
  for (const TimeUnit from : kUnits) {
    for (const TimeUnit to : kUnits) {
      if (!dsi::internal::ConvertTimeText(text, from, to, &value).ok()) continue;
      int64_t back = 0;
      if (to >= from && dsi::internal::ConvertTime(value, to, from, &back).ok()) {
        int64_t again = 0;
        Require(dsi::internal::ConvertTime(back, from, to, &again).ok() && again == value);
      }
    }
  }
  return 0;
}
