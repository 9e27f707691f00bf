#include "dsi/format/iso_time_internal.h"

#include <algorithm>
#include <charconv>

#include "dsi/base/error_internal.h"
#include "dsi/base/parse_whole_internal.h"

namespace dsi::internal {
namespace {

constexpr int64_t kSecondsOfDay = 86'400;
constexpr int kNanoDigits = 9;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes so many digits from the front of a text.
bool TakeNumber(std::string_view* text, size_t digits, int* number) {
  if (text->size() < digits) return false;
  *number = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (!IsDigit((*text)[i])) return false;
    *number = *number * 10 + ((*text)[i] - '0');
  }
  text->remove_prefix(digits);
  return true;
}

bool Take(std::string_view* text, std::string_view any) {
  if (text->empty() || any.find(text->front()) == std::string_view::npos) return false;
  text->remove_prefix(1);
  return true;
}

bool IsLeap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int DaysOfMonth(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeap(year) ? 29 : kDays[month - 1];
}

// Since 1970 in the Gregorian calendar, which is taken to have been there always. Years are counted
// from March, so that the day of a leap year comes last.
int64_t DaysSince1970(int year, int month, int day) {
  const int64_t y = month > 2 ? year : year - 1;
  const int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t year_of_era = y - era * 400;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year -
         719'468;
}

bool TakeOffset(std::string_view* text, int64_t* seconds) {
  *seconds = 0;
  if (text->empty()) return true;
  (void)Take(text, " ");
  if (text->starts_with("UTC")) {
    text->remove_prefix(3);
    return true;
  }
  if (Take(text, "Zz")) return true;
  if (text->empty()) return false;
  const bool west = text->front() == '-';
  int hours = 0;
  int minutes = 0;
  if (!Take(text, "+-") || !TakeNumber(text, 2, &hours)) return false;
  if (!text->empty()) {
    (void)Take(text, ":");
    if (!TakeNumber(text, 2, &minutes)) return false;
  }
  if (hours > 23 || minutes > 59) return false;
  *seconds = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
  return true;
}

int64_t PerSecond(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMillis:
      return 1'000;
    case TimeUnit::kMicros:
      return 1'000'000;
    case TimeUnit::kNanos:
      return 1'000'000'000;
    case TimeUnit::kNone:
    case TimeUnit::kSeconds:
      break;
  }
  return 1;
}

int ExponentOf(TimeUnit unit) {
  int exponent = 0;
  for (int64_t per = PerSecond(unit); per > 1; per /= 10) ++exponent;
  return exponent;
}

Status TooFine(std::string_view what, TimeUnit unit) {
  return Error(StatusCode::kOutOfRange, "{}, and the feature has whole {}", what,
               TimeUnitName(unit));
}

Status TooFar(TimeUnit unit) {
  return Error(StatusCode::kOutOfRange, "a time that 64 bits cannot hold in {}",
               TimeUnitName(unit));
}

}  // namespace

bool TakeFraction(std::string_view* text, IsoTime* time) {
  uint32_t digits = 0;
  for (; !text->empty() && IsDigit(text->front()); text->remove_prefix(1), ++digits) {
    if (digits < kNanoDigits) {
      time->nanos = time->nanos * 10 + static_cast<uint32_t>(text->front() - '0');
    } else {
      time->beyond_nanos |= text->front() != '0';
    }
  }
  for (uint32_t i = digits; i < kNanoDigits; ++i) time->nanos *= 10;
  time->digits = digits;
  return digits != 0;
}

bool ParseIsoTime(std::string_view text, IsoTime* time) {
  *time = {};
  int year = 0;
  int month = 0;
  int day = 0;
  if (!TakeNumber(&text, 4, &year) || !Take(&text, "-") || !TakeNumber(&text, 2, &month) ||
      !Take(&text, "-") || !TakeNumber(&text, 2, &day)) {
    return false;
  }
  if (month < 1 || month > 12 || day < 1 || day > DaysOfMonth(year, month)) return false;
  time->seconds = DaysSince1970(year, month, day) * kSecondsOfDay;
  if (text.empty()) return true;
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!Take(&text, "Tt ") || !TakeNumber(&text, 2, &hour) || !Take(&text, ":") ||
      !TakeNumber(&text, 2, &minute)) {
    return false;
  }
  if (Take(&text, ":")) {
    if (!TakeNumber(&text, 2, &second)) return false;
    if (Take(&text, ".,") && !TakeFraction(&text, time)) return false;
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  int64_t offset = 0;
  if (!TakeOffset(&text, &offset) || !text.empty()) return false;
  time->seconds += hour * 3600 + minute * 60 + second - offset;
  return true;
}

bool FloorToUnit(const IsoTime& time, TimeUnit unit, int64_t* value, bool* is_exact) {
  const int64_t per = PerSecond(unit);
  const int64_t nanos_each = 1'000'000'000 / per;
  *is_exact = !time.beyond_nanos && time.nanos % nanos_each == 0;
  // The seconds are those before the time, and alone may lie beyond the range.
  const auto exact = static_cast<__int128>(time.seconds) * per + time.nanos / nanos_each;
  *value = static_cast<int64_t>(exact);
  return exact == *value;
}

Status IsoToUnit(const IsoTime& time, TimeUnit unit, int64_t* value) {
  bool is_exact = false;
  const bool fits = FloorToUnit(time, unit, value, &is_exact);
  if (!is_exact) return TooFine("the time has a finer fraction", unit);
  return fits ? Status::Ok() : TooFar(unit);
}

std::string ExpectedTime(TimeUnit unit) {
  return fmt::format("a whole number of {} since 1970 or a time such as 2024-05-01T12:30:00Z",
                     TimeUnitName(unit));
}

TimeUnit UnitOfDigits(uint32_t digits) {
  if (digits == 0) return TimeUnit::kSeconds;
  if (digits <= 3) return TimeUnit::kMillis;
  return digits <= 6 ? TimeUnit::kMicros : TimeUnit::kNanos;
}

Status ConvertTime(int64_t value, TimeUnit from, TimeUnit to, int64_t* result) {
  const int64_t from_per = PerSecond(from);
  const int64_t to_per = PerSecond(to);
  if (from_per > to_per) {
    if (value % (from_per / to_per) != 0) {
      return TooFine(fmt::format("{} {} are no whole number of {}", value, TimeUnitName(from),
                                 TimeUnitName(to)),
                     to);
    }
    *result = value / (from_per / to_per);
    return {};
  }
  if (__builtin_mul_overflow(value, to_per / from_per, result)) return TooFar(to);
  return {};
}

Status ConvertTimeText(std::string_view number, TimeUnit from, TimeUnit to, int64_t* result) {
  const std::string_view all = number;
  const auto no_number = [&] { return BadInput("'{}' is no decimal number", all); };
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  int exponent = ExponentOf(to) - ExponentOf(from);
  const size_t e = number.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view power = number.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    int stated = 0;
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), stated);
    constexpr int kMost = 400;  // What a double may have; digits beyond overflow all the same.
    if (error != std::errc() || end != power.data() + power.size() || stated > kMost ||
        stated < -kMost) {
      return no_number();
    }
    exponent += stated;
    number = number.substr(0, e);
  }
  const size_t point = number.find('.');
  std::string digits(number);
  if (point != std::string_view::npos) {
    digits.erase(point, 1);
    exponent -= static_cast<int>(digits.size() - point);
  }
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), IsDigit)) return no_number();
  while (exponent < 0 && !digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  if (digits.find_first_not_of('0') == std::string::npos) {
    *result = 0;
    return {};
  }
  if (exponent < 0)
    return TooFine(
        fmt::format("{} {} are no whole number of {}", all, TimeUnitName(from), TimeUnitName(to)),
        to);
  digits.append(static_cast<size_t>(exponent), '0');
  if (negative) digits.insert(digits.begin(), '-');
  return ParseWhole(digits, result) ? Status() : TooFar(to);
}

}  // namespace dsi::internal
