// Times of texts: ISO 8601 and numbers in any unit, in JSON Lines and CSV, exact or refused.
#include "dsi/tests/text/example_text.h"
#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;

class TimesTest : public test::TextTest {
 protected:
  static std::string Feature(const std::string& unit) {
    return R"({"name": "t", "kind": "timestamp", "unit": ")" + unit + "\"}";
  }
  // "kind type unit" of each feature.
  std::string Infer(const std::string& name, std::string_view text,
                    const TextInputOptions& options = {}) {
    const auto schema =
        InferSchema(Write(name, text), {.text = options, .max_rows = 0, .progress = {}});
    if (!schema.ok()) return schema.status().message();
    cluster_by_ = schema->cluster_by;
    std::string out;
    for (const FeatureSpec& feature : schema->features) {
      out +=
          (out.empty() ? "" : ", ") + feature.name + " " + std::string(KindName(feature.kind)) +
          " " +
          std::string(feature.kind == Kind::kTimestamp ? TimeUnitName(feature.columns[0].time_unit)
                                                       : TypeName(feature.columns[0].type));
    }
    return out;
  }
  std::vector<std::string> cluster_by_;
};

TEST_F(TimesTest, TextsAndNumbersInBothFormats) {
  ASSERT_TRUE(ReadText("a.jsonl",
                       "{\"t\":\"1970-01-01T00:00:01.5Z\"}\n{\"t\":7}\n{\"t\":null}\n"
                       "{\"t\":\"1970-01-01 01:00:00+01:00\"}\n",
                       Feature("ms"))
                  .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1500, 7, 0}));
  ASSERT_TRUE(
      ReadText("a.csv", "t\n1970-01-01T00:00:01.5Z\n7\n\"\"\n1970-01-02\n", Feature("ms")).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1500, 7, 86'400'000}));
}

TEST_F(TimesTest, WhatIsNotExactNamesTheLine) {
  EXPECT_REFUSED(
      ReadText("a.jsonl", "{\"t\":1}\n{\"t\":\"1970-01-01T00:00:00.5\"}\n", Feature("s")), kBad,
      "a.jsonl:2: feature \"t\": the time has a finer fraction, and the feature has whole s");
  EXPECT_REFUSED(ReadText("a.csv", "t\n1970-01-01T00:00:00.5\n", Feature("s")), kBad,
                 "a.csv:2: feature \"t\"");
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"t\":\"3000-01-01\"}\n", Feature("ns")), kBad, "64 bits");
  EXPECT_REFUSED(
      ReadText("a.jsonl", "{\"t\":\"soon\"}\n", Feature("ms")), kBad,
      "found the string \"soon\", expected a whole number of ms since 1970 or a time such as");
  EXPECT_REFUSED(ReadText("a.csv", "t\nsoon\n", Feature("ms")), kBad,
                 "a.csv:2: feature \"t\": found \"soon\"");
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"t\":1.5}\n", Feature("ms")), kBad, "found the number 1.5");
  EXPECT_REFUSED(ReadText("a.csv", "t\n1.5\n", Feature("ms")), kBad, "a.csv:2:");
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"t\":true}\n", Feature("ms")), kBad, "found true");
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"t\":18446744073709551615}\n", Feature("ms")), kBad,
                 "a.jsonl:1:");
}

TEST_F(TimesTest, NumbersOfAnotherUnit) {
  TextInputOptions options;
  options.epoch_unit = TimeUnit::kSeconds;
  ASSERT_TRUE(ReadText("a.jsonl", "{\"t\":1700000000.25}\n{\"t\":-3}\n{\"t\":1.7e9}\n",
                       Feature("ms"), options)
                  .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1700000000250, -3000, 1700000000000}));
  ASSERT_TRUE(
      ReadText("a.csv", "t\n1700000000.123456789\n\"1970-01-01\"\n", Feature("ns"), options).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1700000000123456789, 0}));
  options.epoch_unit = TimeUnit::kNanos;
  ASSERT_TRUE(ReadText("a.jsonl", "{\"t\":5000}\n", Feature("us"), options).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{5}));
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"t\":5001}\n", Feature("us"), options), kBad,
                 "a.jsonl:1: feature \"t\": 5001 ns are no whole number of us");
}

TEST_F(TimesTest, InferenceKnowsThem) {
  EXPECT_EQ(
      Infer("a.jsonl",
            "{\"born\":\"2001-02-03\",\"at\":\"2024-05-01T10:00:00.123Z\",\"s\":\"2024-05-01\"}\n"
            "{\"born\":\"1999-12-31\",\"at\":\"2024-05-01T10:00:00Z\",\"s\":\"later\"}\n"),
      "born timestamp s, at timestamp ms, s string bytes");
  EXPECT_EQ(Infer("a.csv", "a,b,c\n2024-05-01 10:00:00.000001,2024-05-01,2024-05-01\n,5,NaN\n"),
            "a timestamp us, b string bytes, c string bytes");
  EXPECT_EQ(
      Infer("a.jsonl", "{\"x\":\"2024-05-01\"}\n{\"x\":5}\n"),
      folder_.File("a.jsonl") +
          ": feature \"x\": a string on line 1 and a number on line 2, expected one kind of value");
  // A key stays one, and a birthday does not order a session's rows.
  EXPECT_EQ(Infer("a.csv", "session_id,born,event_time\n2024-05-01,2001-02-03,2024-05-01\n"),
            "session_id key bytes, born timestamp s, event_time timestamp s");
  EXPECT_EQ(cluster_by_, (std::vector<std::string>{"session_id", "event_time"}));
  // Nanoseconds are the finest unit: finer fractions are texts, unless they are of zeros.
  EXPECT_EQ(Infer("a.jsonl",
                  "{\"t\":\"2024-05-01T10:00:00.5\",\"u\":\"2024-05-01T10:00:00.1234567890\"}\n"
                  "{\"t\":\"2024-05-01T10:00:00.1234567891\"}\n"),
            "t string bytes, u timestamp ns");
  // What was found reads.
  const std::string path = Write("r.csv", "t,u\n2024-05-01T10:00:00.5,1\n2024-05-01,2\n");
  const auto schema = InferSchema(path);
  ASSERT_TRUE(schema.ok());
  EXPECT_TRUE(Read(path, std::make_shared<const Schema>(*schema)).ok());
}

TEST_F(TimesTest, InferenceOfFractionsWithAUnit) {
  TextInputOptions options;
  options.epoch_unit = TimeUnit::kSeconds;
  const char* text =
      "{\"ts\":1700000000.1234567,\"watch_time\":1.5,\"x\":0.5,\"event_time\":1700000000}\n";
  EXPECT_EQ(Infer("a.jsonl", text, options),
            "ts timestamp ns, watch_time dense float64, x dense float64, event_time timestamp s");
  EXPECT_EQ(Infer("a.jsonl", text),
            "ts dense float64, watch_time dense float64, x dense float64, event_time timestamp s");
}

TextInputOptions WithFormats(std::vector<std::string> formats) {
  TextInputOptions options;
  options.time_formats = std::move(formats);
  return options;
}

TEST_F(TimesTest, FormatsThatAreStated) {
  const TextInputOptions us = WithFormats({"%m/%d/%Y %I:%M:%S %p"});
  EXPECT_EQ(Infer("a.csv", "at,x\n11/13/2019 8:36:57 AM,1\n", us), "at timestamp s, x dense int64");
  ASSERT_TRUE(
      ReadText("a.csv", "t\n11/13/2019 8:36:57 AM\n11/13/2019 12:00:00 AM\n", Feature("ms"), us)
          .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1573634217000, 1573603200000}));
  const TextInputOptions web = WithFormats({"%d/%b/%Y:%H:%M:%S %z"});
  ASSERT_TRUE(
      ReadText("a.jsonl", "{\"t\":\"01/Jan/1970:02:00:01 +0200\"}\n", Feature("s"), web).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1}));
  // With a fraction, and behind it more.
  const TextInputOptions fine = WithFormats({"%d.%m.%Y %I:%M:%S.%f %p"});
  EXPECT_EQ(Infer("a.csv", "at\n01.01.1970 01:00:00.0625 PM\n", fine), "at timestamp us");
  ASSERT_TRUE(ReadText("a.csv", "t\n01.01.1970 01:00:00.0625 PM\n", Feature("us"), fine).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{13 * 3'600'000'000LL + 62'500}));
  // Digits alone are no number then, where the schema has a time; a number is one still.
  const TextInputOptions digits = WithFormats({"%Y%m%d"});
  ASSERT_TRUE(ReadText("a.csv", "t\n19700103\n7\n", Feature("s"), digits).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{172'800, 7}));
}

TEST_F(TimesTest, SeveralFormatsInTheirOrder) {
  const TextInputOptions both = WithFormats({"%d/%m/%Y", "iso"});
  ASSERT_TRUE(ReadText("a.csv", "t\n02/01/1970\n1970-01-03\n", Feature("s"), both).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{86'400, 172'800}));
  // Without its word, ISO 8601 is none: of day and month either could be meant.
  EXPECT_REFUSED(ReadText("a.csv", "t\n1970-01-03\n", Feature("s"), WithFormats({"%Y-%d-%m %H"})),
                 kBad, "a whole number of s since 1970 or a time as \"%Y-%d-%m %H\"");
}

TEST_F(TimesTest, TextsThatDoNotFitTheirFormat) {
  const TextInputOptions us = WithFormats({"%m/%d/%Y %H:%M:%S"});
  for (const char* text : {"02/30/2024 01:00:00", "13/01/2024 01:00:00", "01/01/2024 01:00:60",
                           "01/01/2024 01:00", "01/01/2024 01:00:00 x"}) {
    EXPECT_REFUSED(ReadText("a.csv", "t\n" + std::string(text) + "\n", Feature("s"), us), kBad,
                   "a.csv:2: feature \"t\"");
  }
  EXPECT_EQ(Infer("a.csv", "at\n01/01/2024 01:00:00\nlater\n", us), "at string bytes");
  // Two digits are no year of %Y, which strptime reads as 24; they are one of %y.
  const std::string two_digits = "t\n05/01/24 12:30\n";
  EXPECT_REFUSED(ReadText("a.csv", two_digits, Feature("s"), WithFormats({"%m/%d/%Y %H:%M"})), kBad,
                 "found \"05/01/24 12:30\"");
  ASSERT_TRUE(
      ReadText("a.csv", two_digits, Feature("s"), WithFormats({"%m/%d/%Y %H:%M", "%m/%d/%y %H:%M"}))
          .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1'714'566'600}));
}

TEST_F(TimesTest, FormatsThatTellNoTimeAreRefused) {
  for (const char* format : {"", "%H:%M", "%m/%d", "%Y-%m", "%Y-%m-%d %I:%M", "%Y-%m-%d %Z", "%s",
                             "%Y-%m-%d %f %f", "%Y-%m-%d %Q", "now"}) {
    EXPECT_EQ(ReadText("a.csv", "t\n1\n", Feature("s"), WithFormats({format})).code(),
              StatusCode::kInvalidArgument)
        << format;
  }
  for (const char* format : {"%Y-%m-%d", "%D", "%F", "%y%m%d%H", "%e %B %Y, %l %p", "%Y/%j",
                             "%a, %d %b %Y %T %z", "100%% %F %R"}) {
    EXPECT_TRUE(ReadText("a.csv", "t\n1\n", Feature("s"), WithFormats({format})).ok()) << format;
  }
}

// "column type unit" of all columns of the first feature.
std::string ColumnsOf(const Result<Schema>& schema) {
  if (!schema.ok()) return schema.status().message();
  std::string out(KindName(schema->features[0].kind));
  for (const ColumnSpec& column : schema->features[0].columns) {
    out.append(" ").append(column.name).append(":").append(TypeName(column.type));
    if (column.hashed) out += " hashed";
    if (column.time_unit != TimeUnit::kNone) out.append(" ").append(TimeUnitName(column.time_unit));
  }
  return out;
}

TEST_F(TimesTest, ListsOfTimesAreFound) {
  const auto found = [&](const std::string& name, std::string_view text) {
    return ColumnsOf(InferSchema(Write(name, text)));
  };
  EXPECT_EQ(found("a.jsonl", "{\"x\":[\"2024-05-01\",\"2024-05-01T10:00:00.25Z\"]}\n{\"x\":[]}\n"),
            "list :int64 ms");
  EXPECT_EQ(found("a.jsonl", "{\"x\":[{\"i\":1,\"at\":\"2024-05-01\"}]}\n"),
            "sequence i:int64 at:int64 s");
  EXPECT_EQ(found("a.jsonl", "{\"x\":[\"2024-05-01\",\"soon\"]}\n"), "list :int64 hashed");
  EXPECT_EQ(found("a.csv", "x\n\"['2024-05-01', '2024-05-02']\"\n[]\n"), "list :int64 s");
  EXPECT_EQ(found("a.csv", "x\n2024-05-01|2024-05-02\n"), "string :bytes");
  EXPECT_NE(found("a.jsonl", "{\"x\":[\"2024-05-01\"]}\n{\"x\":[5]}\n").find("expected one kind"),
            std::string::npos);
}

TEST_F(TimesTest, ListsOfTimesAreReadAsTimestampsAre) {
  const std::string list = R"({"name": "t", "kind": "list", "unit": "ms"})";
  const std::vector<int64_t> both = {1500, 86'400'000};
  ASSERT_TRUE(
      ReadText("a.jsonl", "{\"t\":[\"1970-01-01T00:00:01.5\",\"1970-01-02\"]}\n", list).ok());
  EXPECT_EQ(Values<int64_t>(0), both);
  ASSERT_TRUE(ReadText("a.jsonl", "{\"t\":[1500,\"1970-01-02\"]}\n", list).ok());
  EXPECT_EQ(Values<int64_t>(0), both);
  ASSERT_TRUE(ReadText("a.csv", "t\n1970-01-01T00:00:01.5|86400000\n", list).ok());
  EXPECT_EQ(Values<int64_t>(0), both);
  TextInputOptions seconds;
  seconds.epoch_unit = TimeUnit::kSeconds;
  ASSERT_TRUE(ReadText("a.jsonl", "{\"t\":[1.5,86400]}\n", list, seconds).ok());
  EXPECT_EQ(Values<int64_t>(0), both);
  ASSERT_TRUE(ReadText("a.csv", "t\n[1.5 86400]\n", list, seconds).ok());
  EXPECT_EQ(Values<int64_t>(0), both);
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"t\":[\"1970-01-01T00:00:00.0005\"]}\n", list), kBad,
                 "a finer fraction, and the feature has whole ms");
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"t\":[1,\"soon\"]}\n", list), kBad,
                 "found the string \"soon\", expected a whole number of ms");
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"t\":[1,true]}\n", list), kBad, "entry 1: found true");
  EXPECT_REFUSED(ReadText("a.csv", "t\n1|soon\n", list), kBad, "feature \"t\": found \"soon\"");
  const std::string events = R"({"name": "e", "kind": "sequence", "columns": [{"name": "i"},
      {"name": "at", "unit": "s"}]})";
  ASSERT_TRUE(
      ReadText("a.jsonl", "{\"e\":[{\"i\":1,\"at\":\"1970-01-01T00:01\"}]}\n", events).ok());
  EXPECT_EQ(Values<int64_t>(0, 1), std::vector<int64_t>{60});
}

TEST_F(TimesTest, ListsOfTimesInExamples) {
  using namespace test;  // NOLINT: the writers of messages.
  const std::string list = R"({"name": "t", "kind": "list", "unit": "s"})";
  ASSERT_TRUE(
      ReadText("a.tfrecord",
               Record(Example(Entry("t", BytesList({"1970-01-01T00:00:07", "1970-01-02"})))) +
                   Record(Example(Entry("t", IntList({5})))),
               list)
          .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{7, 86'400, 5}));
}

}  // namespace
}  // namespace dsi
