// Timestamps compared with times as text: of any precision, in files of every unit.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dsi/format/iso_time_internal.h"
#include "dsi/reader/filter/time_values_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

using internal::TimesAsNumbers;

FilterValue Number(const std::string& time, TimeUnit unit, Compare compare) {
  Predicate predicate{.column = "t", .compare = compare, .value = time, .values = {time}};
  const bool is_set = compare == Compare::kIn || compare == Compare::kNotIn;
  const Predicate numbers = TimesAsNumbers(predicate, unit);
  return is_set ? numbers.values[0] : numbers.value;
}

TEST(TimeFilter, TimesAreNumbersOfTheUnit) {
  for (const Compare compare : {Compare::kEqual, Compare::kLess, Compare::kGreater, Compare::kIn}) {
    EXPECT_EQ(Number("1970-01-02", TimeUnit::kSeconds, compare), FilterValue(int64_t{86'400}));
    EXPECT_EQ(Number("1969-12-31T23:59:59.5Z", TimeUnit::kMillis, compare),
              FilterValue(int64_t{-500}));
    EXPECT_EQ(Number("1970-01-01T01:00:00+01:00", TimeUnit::kNanos, compare),
              FilterValue(int64_t{0}));
  }
}

TEST(TimeFilter, ATimeBetweenTwoNumbersIsNone) {
  struct Case {
    Compare compare;
    FilterValue value;
  };
  const Case cases[] = {{Compare::kLess, int64_t{11}},
                        {Compare::kLessEqual, int64_t{10}},
                        {Compare::kGreater, int64_t{10}},
                        {Compare::kGreaterEqual, int64_t{11}},
                        {Compare::kEqual, 0.5},
                        {Compare::kNotEqual, 0.5},
                        {Compare::kIn, 0.5},
                        {Compare::kNotIn, 0.5}};
  for (const Case& one : cases) {
    EXPECT_EQ(Number("1970-01-01T00:00:10.001", TimeUnit::kSeconds, one.compare), one.value);
    EXPECT_EQ(Number("1970-01-01T00:00:00.0000000100001", TimeUnit::kNanos, one.compare),
              one.value);
  }
  EXPECT_EQ(Number("1969-12-31T23:59:58.5", TimeUnit::kSeconds, Compare::kLess),
            FilterValue(int64_t{-1}));
}

TEST(TimeFilter, TimesBeyondTheUnit) {
  for (const Compare compare : {Compare::kLess, Compare::kEqual}) {
    EXPECT_GT(std::get<double>(Number("9999-12-31", TimeUnit::kNanos, compare)), 0x1p63);
    EXPECT_LT(std::get<double>(Number("0001-01-01", TimeUnit::kNanos, compare)), -0x1p63);
  }
  // The last nanosecond there is, and a little more.
  EXPECT_EQ(Number("2262-04-11T23:47:16.854775807", TimeUnit::kNanos, Compare::kLess),
            FilterValue(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(Number("2262-04-11T23:47:16.8547758071", TimeUnit::kNanos, Compare::kLess),
            FilterValue(0x1p63));
  // In the first second, which begins before the first nanosecond.
  EXPECT_EQ(Number("1677-09-21T00:12:43.3", TimeUnit::kNanos, Compare::kLess),
            FilterValue(int64_t{-9'223'372'036'700'000'000}));
}

TEST(TimeFilter, RowsOfEveryUnit) {
  for (const TimeUnit unit :
       {TimeUnit::kSeconds, TimeUnit::kMillis, TimeUnit::kMicros, TimeUnit::kNanos}) {
    Schema schema;
    schema.features.push_back({.name = "t", .kind = Kind::kTimestamp});
    schema.features.back().columns.emplace_back().time_unit = unit;
    schema.features.push_back({.name = "key", .kind = Kind::kKey});
    schema.features.back().columns.emplace_back();
    std::vector<std::byte> bytes;
    auto writer = Writer::Create(CreateMemoryFile(&bytes, "times"), schema,
                                 {.keep_order = true, .stripe_rows = 10, .threads = 1});
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch rows((*writer)->schema());
    for (int64_t day = 0; day < 100; ++day) {  // Midnights from 2026-01-01 on.
      int64_t midnight = 0;
      ASSERT_TRUE(
          internal::ConvertTime((20'454 + day) * 86'400, TimeUnit::kSeconds, unit, &midnight).ok());
      EXPECT_TRUE(rows.SetInt(0, midnight).ok());
      EXPECT_TRUE(rows.SetInt(1, day).ok());
      EXPECT_TRUE(rows.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(rows).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
    const auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "times"));
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const auto count = [&](const Predicate& predicate) {
      ScanOptions options;
      options.filter.where = {predicate};
      return (*reader)->CountRows(options);
    };
    EXPECT_EQ(*count({.column = "t", .compare = Compare::kLess, .value = "2026-02-01"}), 31U);
    EXPECT_EQ(*count({.column = "t", .compare = Compare::kLess, .value = "2026-02-01T00:00:00.1"}),
              32U);
    EXPECT_EQ(*count({.column = "t", .compare = Compare::kEqual, .value = "2026-01-05T00:00Z"}),
              1U);
    EXPECT_EQ(*count({.column = "t",
                      .compare = Compare::kIn,
                      .values = {"2026-01-05", "2026-01-06T02:00+02:00", "2026-01-06T02:00"}}),
              2U);
    ScanOptions options;
    options.filter.where = {
        {.column = "t", .compare = Compare::kGreaterEqual, .value = "2026-04-01"}};
    EXPECT_EQ((*reader)->Plan(options)->stripes_skipped, 9U);
    const Status refused =
        count({.column = "t", .compare = Compare::kLess, .value = "April"}).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(refused.message().find("\"April\" is not a whole number"), std::string::npos);
    EXPECT_NE(count({.column = "key", .compare = Compare::kLess, .value = "2026-01-05"})
                  .status()
                  .message()
                  .find("compares with numbers"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace dsi::test
