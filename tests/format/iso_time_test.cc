#include "dsi/format/iso_time_internal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <random>

namespace dsi::internal {
namespace {

// The time in a unit, or the message.
std::string InUnit(std::string_view text, TimeUnit unit) {
  IsoTime time;
  if (!ParseIsoTime(text, &time)) return "no time";
  int64_t value = 0;
  const Status status = IsoToUnit(time, unit, &value);
  return status.ok() ? std::to_string(value) : status.message();
}
std::string Seconds(std::string_view text) { return InUnit(text, TimeUnit::kSeconds); }

TEST(IsoTime, AgreesWithTheSystemOnEveryKindOfDay) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::tm day{};
    day.tm_year = static_cast<int>(random() % 10'000) - 1900;
    day.tm_mon = static_cast<int>(random() % 12);
    day.tm_mday = 1 + static_cast<int>(random() % 31);
    day.tm_hour = static_cast<int>(random() % 24);
    day.tm_min = static_cast<int>(random() % 60);
    day.tm_sec = static_cast<int>(random() % 60);
    const std::tm asked = day;
    const std::string text =
        fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", day.tm_year + 1900, day.tm_mon + 1,
                    day.tm_mday, day.tm_hour, day.tm_min, day.tm_sec);
    const std::time_t seconds = timegm(&day);  // Moves 31 June to 1 July.
    EXPECT_EQ(Seconds(text), day.tm_mday == asked.tm_mday ? std::to_string(seconds) : "no time")
        << text;
  }
}

TEST(IsoTime, Forms) {
  EXPECT_EQ(Seconds("1970-01-01"), "0");
  EXPECT_EQ(Seconds("1970-01-02T00:00"), "86400");
  EXPECT_EQ(Seconds("1969-12-31 23:59:59"), "-1");
  EXPECT_EQ(Seconds("2024-05-01t12:30:15z"), "1714566615");
  EXPECT_EQ(Seconds("2024-05-01T12:30:15+02:00"), "1714559415");
  EXPECT_EQ(Seconds("2024-05-01T12:30:15-0330"), "1714579215");
  EXPECT_EQ(Seconds("2024-05-01T12:30+05"), "1714548600");
  EXPECT_EQ(Seconds("0000-03-01"), "-62162035200");
  // As BigQuery and Git write them.
  EXPECT_EQ(Seconds("2024-05-01 12:30:15 UTC"), "1714566615");
  EXPECT_EQ(InUnit("2024-05-01 12:30:15.5 UTC", TimeUnit::kMillis), "1714566615500");
  EXPECT_EQ(Seconds("2024-05-01 12:30:15 +0200"), "1714559415");
  for (const char* bad : {"",
                          "2024",
                          "2024-05",
                          "2024-5-1",
                          "20240501",
                          "2024-02-30",
                          "2023-02-29",
                          "1900-02-29",
                          "2024-00-01",
                          "2024-13-01",
                          "2024-05-00",
                          "2024-05-01T",
                          "2024-05-01T12",
                          "2024-05-01T24:00",
                          "2024-05-01T12:60",
                          "2024-05-01T12:30:60",
                          "2024-05-01T12:30:15.",
                          "2024-05-01T12:30:15+",
                          "2024-05-01T12:30:15+2",
                          "2024-05-01T12:30:15+02:0",
                          "2024-05-01T12:30:15+24:00",
                          "2024-05-01T12:30:15Zx",
                          "2024-05-01T12:30:15 ",
                          "2024-05-01T12:30:15  UTC",
                          "2024-05-01T12:30:15 UTC+1",
                          "2024-05-01T12:30:15 utc",
                          "2024-05-01 UTC",
                          "2024-05-01  12:30",
                          "2024-05-01X12:30",
                          "-024-05-01",
                          "2024-05-01Z"}) {
    EXPECT_EQ(Seconds(bad), "no time") << bad;
  }
}

TEST(IsoTime, FractionsAreExactOrRefused) {
  EXPECT_EQ(InUnit("1970-01-01T00:00:01.25", TimeUnit::kMillis), "1250");
  EXPECT_EQ(InUnit("1969-12-31T23:59:59,75", TimeUnit::kMillis), "-250");
  EXPECT_EQ(InUnit("1970-01-01T00:00:00.123456789Z", TimeUnit::kNanos), "123456789");
  EXPECT_EQ(InUnit("1970-01-01T00:00:00.120000000000", TimeUnit::kMillis), "120");
  EXPECT_EQ(InUnit("1970-01-01T00:00:00.000", TimeUnit::kSeconds), "0");
  EXPECT_EQ(InUnit("1970-01-01T00:00:00.1", TimeUnit::kSeconds),
            "the time has a finer fraction, and the feature has whole s");
  EXPECT_EQ(InUnit("1970-01-01T00:00:00.1234", TimeUnit::kMillis),
            "the time has a finer fraction, and the feature has whole ms");
  EXPECT_EQ(InUnit("1970-01-01T00:00:00.0000000001", TimeUnit::kNanos),
            "the time has a finer fraction, and the feature has whole ns");
  EXPECT_EQ(InUnit("2262-04-11T23:47:16.854775807Z", TimeUnit::kNanos), "9223372036854775807");
  EXPECT_EQ(InUnit("2262-04-11T23:47:16.854775808Z", TimeUnit::kNanos),
            "a time that 64 bits cannot hold in ns");
  // The first there is lies in a second that begins before the range.
  EXPECT_EQ(InUnit("1677-09-21T00:12:43.145224192Z", TimeUnit::kNanos), "-9223372036854775808");
  EXPECT_EQ(InUnit("1677-09-21T00:12:43.3Z", TimeUnit::kNanos), "-9223372036700000000");
  EXPECT_EQ(InUnit("1677-09-21T00:12:43.145224191Z", TimeUnit::kNanos),
            "a time that 64 bits cannot hold in ns");
  EXPECT_EQ(InUnit("9999-12-31T23:59:59.999999", TimeUnit::kMicros), "253402300799999999");
  IsoTime time;
  ASSERT_TRUE(ParseIsoTime("2024-05-01T00:00:00.1000", &time));
  EXPECT_EQ(UnitOfDigits(time.digits), TimeUnit::kMicros);
}

TEST(IsoTime, NumbersOfOtherUnits) {
  const auto convert = [](int64_t value, TimeUnit from, TimeUnit to) {
    int64_t result = 0;
    const Status status = ConvertTime(value, from, to, &result);
    return status.ok() ? std::to_string(result) : "refused";
  };
  EXPECT_EQ(convert(1700000000, TimeUnit::kSeconds, TimeUnit::kNanos), "1700000000000000000");
  EXPECT_EQ(convert(-1000, TimeUnit::kMillis, TimeUnit::kSeconds), "-1");
  EXPECT_EQ(convert(1001, TimeUnit::kMillis, TimeUnit::kSeconds), "refused");
  EXPECT_EQ(convert(INT64_MAX, TimeUnit::kSeconds, TimeUnit::kMillis), "refused");
  EXPECT_EQ(convert(INT64_MIN, TimeUnit::kMicros, TimeUnit::kMicros), "-9223372036854775808");
}

TEST(IsoTime, DecimalNumbers) {
  const auto convert = [](std::string_view text, TimeUnit from, TimeUnit to) {
    int64_t result = 0;
    const Status status = ConvertTimeText(text, from, to, &result);
    if (status.code() == StatusCode::kBadInput) return std::string("no number");
    return status.ok() ? std::to_string(result) : "refused";
  };
  const TimeUnit s = TimeUnit::kSeconds;
  EXPECT_EQ(convert("1700000000.25", s, TimeUnit::kMillis), "1700000000250");
  EXPECT_EQ(convert("-0.5", s, TimeUnit::kMillis), "-500");
  EXPECT_EQ(convert("1.7e9", s, s), "1700000000");
  EXPECT_EQ(convert("1.7E+09", s, TimeUnit::kNanos), "1700000000000000000");
  EXPECT_EQ(convert("1700000000.000", s, s), "1700000000");
  EXPECT_EQ(convert("17000000000e-1", s, s), "1700000000");
  EXPECT_EQ(convert("1700000000.5", s, s), "refused");
  EXPECT_EQ(convert("1e300", s, s), "refused");
  EXPECT_EQ(convert("0e300", s, s), "0");
  EXPECT_EQ(convert("1e-300", s, s), "refused");
  EXPECT_EQ(convert("9223372036854775807", s, s), "9223372036854775807");
  EXPECT_EQ(convert("9223372036854775808", s, s), "refused");
  EXPECT_EQ(convert("-9223372036854775808", s, s), "-9223372036854775808");
  for (const char* bad :
       {"", "-", ".", "1.2.3", "e5", "1e", "1e5x", "x", "NaN", "+1", "1e999999999999"}) {
    EXPECT_EQ(convert(bad, s, s), "no number") << bad;
  }
}

}  // namespace
}  // namespace dsi::internal
