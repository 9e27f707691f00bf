// Times as text (ISO 8601) and as numbers since 1970 in any unit, exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/format/types.h"

namespace dsi::internal {

struct IsoTime {
  int64_t seconds = 0;        // Since 1970, UTC; the fraction counts upward from there.
  uint32_t nanos = 0;         // Of the fraction.
  uint32_t digits = 0;        // Of the fraction as it was written.
  bool beyond_nanos = false;  // It has more than nanoseconds say.
};

// Reads a date or a date and time of years 0000 to 9999: "2024-05-01", "2024-05-01T12:30",
// "2024-05-01 12:30:15.25+02:00". Between them stands 'T', 't' or a space; behind the time, after a
// space or not, 'Z', 'z', "UTC" or an offset (+hh, +hhmm, +hh:mm), or nothing, which means UTC.
// False for anything else: other forms of ISO 8601, days that there are not, second 60.
bool ParseIsoTime(std::string_view text, IsoTime* time);

// Takes the digits of a fraction of a second from the front of a text. False: there are none.
bool TakeFraction(std::string_view* text, IsoTime* time);

// The last number of the unit that is not after the time, and whether it is the time. False: it
// lies beyond 64 bits.
bool FloorToUnit(const IsoTime& time, TimeUnit unit, int64_t* value, bool* is_exact);

// The time in a unit. kOutOfRange: it has a finer fraction, or lies beyond 64 bits.
Status IsoToUnit(const IsoTime& time, TimeUnit unit, int64_t* value);

// What a timestamp may be, for messages.
std::string ExpectedTime(TimeUnit unit);

// The coarsest unit that holds so many digits of a fraction.
TimeUnit UnitOfDigits(uint32_t digits);

// A number of `from` as one of `to`. kOutOfRange: it is no whole number there, or beyond 64 bits.
Status ConvertTime(int64_t value, TimeUnit from, TimeUnit to, int64_t* result);
// The same of a decimal number as text, with a point ("1700000000.25") or an exponent.
Status ConvertTimeText(std::string_view number, TimeUnit from, TimeUnit to, int64_t* result);

}  // namespace dsi::internal
