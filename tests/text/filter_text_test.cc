// Predicates as text.
#include "dsi/text/filter_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dsi::test {
namespace {

ColumnInfo Column(const std::string& feature, const std::string& name, Kind kind, Type type) {
  ColumnInfo column;
  column.feature = feature;
  column.name = name;
  column.kind = kind;
  column.type = type;
  return column;
}

const std::vector<ColumnInfo>& Columns() {
  static const std::vector<ColumnInfo> columns = {
      Column("label", "label", Kind::kLabel, Type::kInt8),
      Column("ok", "ok", Kind::kDense, Type::kBool),
      Column("price", "price", Kind::kDense, Type::kFloat32),
      Column("city", "city", Kind::kString, Type::kBytes),
      Column("user", "user", Kind::kKey, Type::kUint64),
      Column("clicks", "clicks", Kind::kList, Type::kInt64),
      Column("topics", "topics.ids", Kind::kWeighted, Type::kInt64),
      Column("topics", "topics.weights", Kind::kWeighted, Type::kFloat32),
      Column("a=b in c", "a=b in c", Kind::kDense, Type::kInt32),
      Column("is missing", "is missing", Kind::kDense, Type::kInt32),
      Column("ts", "ts", Kind::kTimestamp, Type::kInt64)};
  return columns;
}

std::string Show(const FilterValue& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return "'" + *text + "'";
  if (const auto* const real = std::get_if<double>(&value)) return "r" + std::to_string(*real);
  if (const auto* const large = std::get_if<uint64_t>(&value)) return "u" + std::to_string(*large);
  return std::to_string(std::get<int64_t>(value));
}

// "column compare value" or "column compare {values}"; alternatives behind it.
std::string Show(const Predicate& one) {
  const Predicate* const predicate = &one;
  static const char* const names[] = {"=",  "!=", "<",      "<=",     ">",
                                      ">=", "in", "not in", "exists", "missing"};
  std::string shown = predicate->column + "|" + names[static_cast<int>(predicate->compare)];
  if (predicate->subject == Subject::kLength) shown = "length of " + shown;
  if (predicate->subject == Subject::kHash)
    shown = "hash " + std::to_string(predicate->salt) + " of " + shown;
  if (predicate->compare == Compare::kIn || predicate->compare == Compare::kNotIn) {
    for (const FilterValue& value : predicate->values) shown += "|" + Show(value);
  } else if (predicate->compare < Compare::kIn) {
    shown += "|" + Show(predicate->value);
  }
  for (const Predicate& other : one.alternatives) shown += " or " + Show(other);
  return shown;
}

std::string Parsed(const std::string& text) {
  const auto predicate = ParsePredicate(text, Columns());
  return predicate.ok() ? Show(*predicate) : predicate.status().message();
}

TEST(FilterText, Comparisons) {
  EXPECT_EQ(Parsed("label = 1"), "label|=|1");
  EXPECT_EQ(Parsed("  label==1 "), "label|=|1");
  EXPECT_EQ(Parsed("label!=-3"), "label|!=|-3");
  EXPECT_EQ(Parsed("label < 4"), "label|<|4");
  EXPECT_EQ(Parsed("label<=4"), "label|<=|4");
  EXPECT_EQ(Parsed("label > 4"), "label|>|4");
  EXPECT_EQ(Parsed("label>= 4"), "label|>=|4");
  EXPECT_EQ(Parsed("user = 18446744073709551615"), "user|=|u18446744073709551615");
  EXPECT_EQ(Parsed("price > 0.5"), "price|>|r0.500000");
  EXPECT_EQ(Parsed("ok = true"), "ok|=|1");
  EXPECT_EQ(Parsed("ok = 0"), "ok|=|0");
  EXPECT_EQ(Parsed("a=b in c = 3"), "a=b in c|=|3");
  EXPECT_EQ(Parsed("is missing = 3"), "is missing|=|3");
}

TEST(FilterText, Strings) {
  EXPECT_EQ(Parsed("city = Bern"), "city|=|'Bern'");
  EXPECT_EQ(Parsed("city = New York"), "city|=|'New York'");
  EXPECT_EQ(Parsed("city=17"), "city|=|'17'");
  EXPECT_EQ(Parsed("city = a in b"), "city|=|'a in b'");
  EXPECT_EQ(Parsed("city = \"\""), "city|=|''");
  EXPECT_EQ(Parsed("city = \"a \\\"b\\\"\""), "city|=|'a \"b\"'");
  EXPECT_EQ(Parsed("city >= L"), "city|>=|'L'");
}

TEST(FilterText, Times) {
  EXPECT_EQ(Parsed("ts = 1700000000"), "ts|=|1700000000");
  EXPECT_EQ(Parsed("ts >= 2026-11-01"), "ts|>=|'2026-11-01'");
  EXPECT_EQ(Parsed("ts < \"2026-11-01 12:30:15.25+02:00\""), "ts|<|'2026-11-01 12:30:15.25+02:00'");
  EXPECT_EQ(Parsed("ts in 2026-11-01,2026-11-02T10:00Z"), "ts|in|'2026-11-01'|'2026-11-02T10:00Z'");
  EXPECT_NE(Parsed("ts < yesterday").find("or a time such as"), std::string::npos);
  EXPECT_NE(Parsed("label = 2026-11-01").find("is no number"), std::string::npos);
}

TEST(FilterText, SetsAndPresence) {
  EXPECT_EQ(Parsed("label in 1,2, 3"), "label|in|1|2|3");
  EXPECT_EQ(Parsed("label not in 1"), "label|not in|1");
  EXPECT_EQ(Parsed("city in Bern,\"a,b\\\",\" , Oslo"), "city|in|'Bern'|'a,b\",'|'Oslo'");
  EXPECT_EQ(Parsed("city not in New York,x"), "city|not in|'New York'|'x'");
  EXPECT_EQ(Parsed("a=b in c in 3,4"), "a=b in c|in|3|4");
  EXPECT_EQ(Parsed("clicks exists"), "clicks|exists");
  EXPECT_EQ(Parsed("topics missing"), "topics.ids|missing");
  EXPECT_EQ(Parsed("is missing missing"), "is missing|missing");
  EXPECT_EQ(Parsed("is missing  exists"), "is missing|exists");
}

TEST(FilterText, Lengths) {
  EXPECT_EQ(Parsed("length(clicks) >= 5"), "length of clicks|>=|5");
  EXPECT_EQ(Parsed("length( clicks )=0"), "length of clicks|=|0");
  EXPECT_EQ(Parsed("length(topics) in 1,2"), "length of topics.ids|in|1|2");
  EXPECT_EQ(Parsed("length(city) < 3"), "length of city|<|3");
  EXPECT_EQ(Parsed("length(clicks) exists"), "length of clicks|exists");
}

TEST(FilterText, Hashes) {
  EXPECT_EQ(Parsed("hash(city) < 0.25"), "hash 0 of city|<|r0.250000");
  EXPECT_EQ(Parsed("hash( label , 7 )>=1"), "hash 7 of label|>=|1");
  EXPECT_EQ(Parsed("hash(ts, 18446744073709551615) > 0.5"),
            "hash 18446744073709551615 of ts|>|r0.500000");
  EXPECT_EQ(Parsed("hash(label) < 0.1 or hash(city) > 0.9"),
            "hash 0 of label|<|r0.100000 or hash 0 of city|>|r0.900000");
  EXPECT_NE(Parsed("hash(clicks) < 1").find("only features of one number"), std::string::npos);
  EXPECT_NE(Parsed("hash(label, x) < 1").find("no feature \"label, x\""), std::string::npos);
  EXPECT_NE(Parsed("hash(city) < Bern").find("is no number"), std::string::npos);
}

TEST(FilterText, Alternatives) {
  EXPECT_EQ(Parsed("label = 1 or price > 2"), "label|=|1 or price|>|2");
  EXPECT_EQ(Parsed("label=1 or  label in 3,4 or topics missing or length(clicks)>2"),
            "label|=|1 or label|in|3|4 or topics.ids|missing or length of clicks|>|2");
  EXPECT_EQ(Parsed("ok = 1 or clicks exists  or  clicks missing  or label = 1"),
            "ok|=|1 or clicks|exists or clicks|missing or label|=|1");
  EXPECT_EQ(Parsed("a=b in c = 3 or is missing = 3"), "a=b in c|=|3 or is missing|=|3");
  // A string keeps what has no operator behind it, and what stands in quotes.
  EXPECT_EQ(Parsed("city = Bern or Oslo"), "city|=|'Bern or Oslo'");
  EXPECT_EQ(Parsed("city = Bern or Oslo or label = 1"), "city|=|'Bern or Oslo' or label|=|1");
  EXPECT_EQ(Parsed("label = 1 or a=b in c = 3 or ok = 0"), "label|=|1 or a=b in c|=|3 or ok|=|0");
  EXPECT_EQ(Parsed(R"(city = "a or label = 1")"), "city|=|'a or label = 1'");
  EXPECT_EQ(Parsed(R"(city in x,"a\" or label = 1" or label = 2)"),
            R"(city|in|'x'|'a" or label = 1' or label|=|2)");
  EXPECT_EQ(Parsed(R"(city = a "b or label = 1)"), R"(city|=|'a "b or label = 1')");
}

TEST(FilterText, SaysWhatIsWrong) {
  const auto says = [](const std::string& text, const std::string& part) {
    const auto predicate = ParsePredicate(text, Columns());
    EXPECT_EQ(predicate.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_NE(predicate.status().message().find(part), std::string::npos)
        << text << ": " << predicate.status().message();
  };
  says("", "no operator");
  says("label", "no operator");
  says("label is 1", "no operator");
  says("= 1", "no feature before '='");
  says("label =", "no value");
  says("label in", "no value");
  says("label in 1,,2", "no value");
  says("label =< 1", "'=<' is no operator");
  says("label = x", "'x' is no number");
  says("label = nan", "'nan' is no number");
  says("label in 1,x", "'x' is no number");
  says("ok = yes", "true or false");
  says("city in \"a, \\", "in quotes");
  says("city in \"a\\", "in quotes");
  says("city = \"a", "in quotes");
  says("city = \"a\"b", "in quotes");
  says("label = 1 or", "'1 or' is no number");
  says("city = a or lable = 1", "did you mean \"label\"");
  says("label = 1 or city = \"a", "in quotes");
  says("city = a and label = 1", "given one by one");
  says("city = a or label = 1 and ok = 0", "given one by one");
  says("lable = 1", "did you mean \"label\"");
  says("lable in 1", "did you mean \"label\"");
  says("lable exists", "did you mean \"label\"");
  says("clicks = 1", "clicks is a list");
  says("topics = 1", "several columns");
  says("topics.weights in 1", "one number or string");
  says("length(price) = 1", "price is a dense of float32, which has no length");
  says("length(clics) = 1", "did you mean \"clicks\"");
  says("length(clicks) = a", "'a' is no number");
  says("length(city = 1", "length(city");
}

TEST(FilterText, ValuesOfAKey) {
  const auto shown = [](const std::string& key, const std::vector<std::string>& values) {
    const auto predicate = ParseKeyValues(key, values, Columns());
    if (!predicate.ok()) return predicate.status().message();
    EXPECT_EQ(predicate->compare, Compare::kIn);
    std::string text = predicate->column;
    for (const FilterValue& value : predicate->values) text += "|" + Show(value);
    return text;
  };
  EXPECT_EQ(shown("user", {"1", "-1", "18446744073709551615"}), "user|1|-1|u18446744073709551615");
  EXPECT_EQ(shown("city", {"", "a,b", "\"q\"", "7 "}), "city|''|'a,b'|'\"q\"'|'7 '");
  // Beyond 64 bits: a number that no column has, not the nearest double.
  for (const char* beyond : {"99999999999999999999", "-9223372036854775809"})
    EXPECT_EQ(shown("label", {beyond}), "label|r36893488147419103232.000000");
  for (const char* text : {"", "x", "1x", "1.5", " 1", "-", "0x1", "1e3"})
    EXPECT_FALSE(ParseKeyValues("user", std::vector<std::string>{text}, Columns()).ok()) << text;
  EXPECT_NE(shown("price", {"1"}).find("whole number or string"), std::string::npos);
  EXPECT_NE(shown("clicks", {"1"}).find("one number or string"), std::string::npos);
  EXPECT_NE(shown("usr", {"1"}).find("did you mean \"user\""), std::string::npos);
}

}  // namespace
}  // namespace dsi::test
