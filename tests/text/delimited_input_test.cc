// CSV and TSV.
#include <bit>
#include <cmath>

#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;
constexpr char kFeatures[] = R"({"name": "id", "kind": "key"}, {"name": "city", "kind": "string"},
    {"name": "tags", "kind": "list"}, {"name": "x", "kind": "dense", "type": "float64"},
    {"name": "h", "kind": "sequence", "columns": [{"name": "i"},
        {"name": "w", "type": "float32"}]})";

class DelimitedInputTest : public test::TextTest {
 protected:
  Status ReadCsv(std::string_view text) { return ReadText("r.csv", text, kFeatures); }
};

TEST_F(DelimitedInputTest, ReadsCells) {
  ASSERT_TRUE(ReadCsv("\xef\xbb\xbfid,tags,city,x,h.w,h.i\r\n"
                      "1,3|4|5,Rome,-0.0,0.5|1,7|8\r\n"
                      "\r\n"
                      "-2,\"\",\"\",NaN,\"\",\"\"\r\n"
                      "3,9,\"a, \"\"b\"\"\r\nc\",-0,,\r\n"
                      "4,,,\"\",,")
                  .ok());
  EXPECT_EQ(batch_->num_rows(), 4U);
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, -2, 3, 4}));
  EXPECT_EQ(batch_->feature(1).lengths, (std::vector<uint32_t>{4, 0, 9}));
  EXPECT_EQ(Text(1), "Romea, \"b\"\r\nc");
  EXPECT_EQ(Values<int64_t>(2), (std::vector<int64_t>{3, 4, 5, 9}));
  EXPECT_EQ(batch_->feature(2).lengths, (std::vector<uint32_t>{3, 0, 1}));
  const std::vector<double> x = Values<double>(3);
  ASSERT_EQ(x.size(), 3U);
  EXPECT_TRUE(std::signbit(x[0]));
  EXPECT_TRUE(std::isnan(x[1]));
  EXPECT_TRUE(std::signbit(x[2]));
  EXPECT_EQ(Values<int64_t>(4, 0), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(batch_->feature(4).lengths, (std::vector<uint32_t>{2, 0}));
}

// As JSON has it: whole numbers are exact in a float column, or refused.
TEST_F(DelimitedInputTest, WholeNumbersInFloatColumnsAreExact) {
  constexpr char kFloats[] = R"({"name": "x", "kind": "dense", "type": "float32"},
      {"name": "l", "kind": "list", "type": "float32"})";
  ASSERT_TRUE(ReadText("r.csv", "x,l\n16777216,0.1|16777217.0\n0.1,-4294967296\n", kFloats).ok());
  EXPECT_EQ(Values<float>(0), (std::vector<float>{16777216.0F, 0.1F}));
  EXPECT_EQ(Values<float>(1), (std::vector<float>{0.1F, 16777216.0F, -4294967296.0F}));
  const Status one = ReadText("r.csv", "x,l\n1,2\n16777217,\n", kFloats);
  EXPECT_NE(one.message().find(
                "r.csv:3: feature \"x\": found 16777217, which float32 does not hold exactly"),
            std::string::npos)
      << one.message();
  const Status list = ReadText("r.csv", "x,l\n1,2|16777217\n", kFloats);
  EXPECT_NE(list.message().find("\"l\": found the entry \"16777217\", which float32 does not hold"),
            std::string::npos)
      << list.message();
}

TEST_F(DelimitedInputTest, QuotedTextsMayBeLong) {
  std::string text = "id,city\n";
  std::string expected;
  for (int i = 0; i < 2000; ++i) {
    std::string city(static_cast<size_t>(i * 3), 'x');
    for (size_t k = 0; k < city.size(); k += 50) city[k] = '\n';
    text += std::to_string(i) + ",\"" + city + "\"\n";
    expected += city;
  }
  ASSERT_TRUE(ReadCsv(text).ok());
  EXPECT_EQ(Text(1), expected);
  EXPECT_EQ(batch_->num_rows(), 2000U);
}

TEST_F(DelimitedInputTest, TsvKeepsQuotesInsideCells) {
  ASSERT_TRUE(ReadText("r.tsv", "city\tid\n5\" pipe\t1\n\"a\tb\"\t2\n", kFeatures).ok());
  EXPECT_EQ(Text(1), "5\" pipea\tb");
}

TEST_F(DelimitedInputTest, QuotesMayBeText) {
  const std::string text = "city\tid\n\"The Mermaid\" live\t1\n\"\t2\n\"\"\t\n";
  EXPECT_FALSE(ReadText("r.tsv", text, kFeatures).ok());
  ASSERT_TRUE(ReadText("r.tsv", text, kFeatures, {.quotes = false}).ok());
  EXPECT_EQ(Text(1), "\"The Mermaid\" live\"\"\"");
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 2}));
  InferReport report;
  EXPECT_TRUE(InferSchema(folder_.File("r.tsv"), {.text = {.quotes = false}}, &report).ok());
  EXPECT_EQ(report.rows, 3U);
  const std::string inside = "city,id\n5\" pipe,1\n";
  EXPECT_FALSE(ReadText("r.csv", inside, kFeatures).ok());
  ASSERT_TRUE(ReadText("r.csv", inside, kFeatures, {.quotes = false}).ok());
  EXPECT_EQ(Text(1), "5\" pipe");
}

TEST_F(DelimitedInputTest, HeadersMustFit) {
  EXPECT_REFUSED(ReadCsv(""), kBad, "expected a header");
  EXPECT_REFUSED(ReadCsv("id,nope\n"), kBad, "r.csv:1: \"nope\" of the header is no feature");
  EXPECT_REFUSED(ReadCsv("id,id\n"), kBad, "\"id\" stands twice");
  EXPECT_REFUSED(ReadCsv("id,h.i\n"), kBad, "1 columns of feature \"h\", expected all 2");
  TextInputOptions options;
  options.ignore_unknown = true;
  ASSERT_TRUE(ReadText("r.csv", "nope,id\nx,5\n", kFeatures, options).ok());
  EXPECT_EQ(Values<int64_t>(0), std::vector<int64_t>{5});
}

TEST_F(DelimitedInputTest, AHeaderInTheMiddleIsRefused) {
  EXPECT_REFUSED(ReadCsv("id,city\n1,a\n\"id\",city\n2,b\n"), kBad,
                 "r.csv:3: the header stands here again");
  EXPECT_REFUSED(InferSchema(folder_.File("r.csv")).status(), kBad,
                 "r.csv:3: the header stands here again");
  EXPECT_TRUE(ReadCsv("city\na\ncity\n").ok()) << "a column may hold its own name";
  EXPECT_TRUE(ReadCsv("city,id\ncity,1\n").ok());
}

TEST_F(DelimitedInputTest, TextsOfOtherMakes) {
  TextInputOptions options;
  options.header = {"id", "tags", "city", "x"};
  options.separator = '\x01';
  options.list_separator = '\x02';
  options.missing = "\\N";
  const std::string text =
      "\xef\xbb\xbf"
      "1\x01"
      "3\x02"
      "4\x01Rome, or\ttabs\x01\\N\n\\N\x01\\N\x01\"\\N\"\x01"
      "0.5\n7\x01\x01\x01\n";
  ASSERT_TRUE(ReadText("r.csv", text, kFeatures, options).ok());
  EXPECT_EQ(batch_->num_rows(), 3U);
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 7}));
  EXPECT_EQ(Values<int64_t>(2), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(batch_->feature(2).num_present, 1U);
  EXPECT_EQ(Text(1), "Rome, or\ttabs\\N");
  EXPECT_EQ(Values<double>(3), (std::vector<double>{0.5}));
  // A schema is found from all lines.
  InferReport report;
  const auto schema = InferSchema(folder_.File("r.csv"), {.text = options}, &report);
  ASSERT_TRUE(schema.ok()) << schema.status().message();
  EXPECT_EQ(report.rows, 3U);
  EXPECT_EQ(schema->features[0].columns[0].type, Type::kInt64);
  EXPECT_EQ(schema->features[1].kind, Kind::kList);
  EXPECT_EQ(schema->features[3].columns[0].type, Type::kFloat64);
  // Threads begin anywhere; a file may be empty.
  std::string many;
  for (int i = 0; i < 5000; ++i) many += std::to_string(i) + ";" + std::to_string(2 * i) + "\n";
  options = {.separator = ';', .header = {"id", "x"}, .threads = 3, .block_bytes = 1000};
  ASSERT_TRUE(ReadText("r.csv", many, kFeatures, options).ok());
  ASSERT_EQ(batch_->num_rows(), 5000U);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(Values<int64_t>(0)[static_cast<size_t>(i)], i);
    ASSERT_EQ(Values<double>(3)[static_cast<size_t>(i)], 2 * i);
  }
  EXPECT_TRUE(ReadText("r.csv", "", kFeatures, options).ok());
  EXPECT_REFUSED(ReadText("r.csv", "1;2\n1;2;3\n", kFeatures, options), kBad,
                 "r.csv:2: found 3 cells, expected the 2 of the header");
  EXPECT_REFUSED(ReadText("r.csv", "id;x\n1;2\n", kFeatures, options), kBad,
                 "r.csv:1: the header stands here again");
  options.header = {"id", "id"};
  EXPECT_REFUSED(ReadText("r.csv", "1;2\n", kFeatures, options), kBad, "\"id\" stands twice");
  options.header = {"id", "more"};
  EXPECT_REFUSED(ReadText("r.csv", "1;2\n", kFeatures, options), kBad, "\"more\" of the header");
  for (const char bad : {'"', '\n', '\r', '\x80'}) {
    options.separator = bad;
    EXPECT_REFUSED(ReadText("r.csv", "1;2\n", kFeatures, options), StatusCode::kInvalidArgument,
                   "separator");
  }
}

TEST_F(DelimitedInputTest, AFirstLineWithNumbersIsTold) {
  const auto told = [&](const std::string& text, const TextInputOptions& options) {
    InferReport report;
    EXPECT_TRUE(InferSchema(Write("r.csv", text), {.text = options}, &report).ok());
    return report.numbers_in_header;
  };
  EXPECT_EQ(told("1,pv,2.5\n2,buy,3.5\n", {}), (std::vector<std::string>{"1", "2.5"}));
  EXPECT_EQ(told("a,2009-05-04T12:30:57Z\n", {}), std::vector<std::string>{"2009-05-04T12:30:57Z"});
  EXPECT_TRUE(told("a,pv\n2,3\n", {}).empty());
  EXPECT_TRUE(told("2,3\n", {.header = {"1", "x"}}).empty());
}

// As of an index of pandas; what a column without a name holds is left out, and counted.
TEST_F(DelimitedInputTest, ColumnsWithoutANameAreLeftOut) {
  const std::string text = ",id,,x\n0,5,a,\n1,6,,2.5\n";
  const auto found = InferSchema(Write("i.csv", text));
  ASSERT_TRUE(found.ok()) << found.status().message();
  ASSERT_EQ(found->features.size(), 2U);
  EXPECT_EQ(found->features[0].name, "id");
  EXPECT_EQ(found->features[1].name, "x");
  ASSERT_TRUE(ReadCsv(text).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{5, 6}));
  ASSERT_EQ(coverage_.ignored.size(), 1U);  // Of a name, however many columns have it.
  EXPECT_EQ(coverage_.ignored[0].name, "");
  EXPECT_EQ(coverage_.ignored[0].values, 3U);
  TextInputOptions options;
  options.header = {"id", ""};
  ASSERT_TRUE(ReadText("n.csv", "7,8\n", kFeatures, options).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{7}));
  EXPECT_REFUSED(ReadCsv(",\n1,2\n"), kBad, "r.csv:1: the header has no name");
  EXPECT_REFUSED(InferSchema(Write("e.csv", ",\n1,2\n")).status(), kBad, "the header has no name");
}

TEST_F(DelimitedInputTest, BadCellsNameTheLine) {
  EXPECT_REFUSED(ReadCsv("id,x\n1,2\n1\n"), kBad, "r.csv:3: found 1 cells, expected the 2");
  EXPECT_REFUSED(ReadCsv("id\n1,2\n"), kBad, "found 2 cells");
  EXPECT_REFUSED(ReadCsv("id\nx1\n"), kBad,
                 "r.csv:2: feature \"id\": found \"x1\", expected a number");
  EXPECT_REFUSED(ReadCsv("id\n5.0\n"), kBad, "found \"5.0\"");
  EXPECT_REFUSED(ReadCsv("id\n9223372036854775808\n"), kBad, "fits type int64");
  EXPECT_REFUSED(ReadCsv("id\n18446744073709551616\n"), kBad, "expected a number");
  EXPECT_REFUSED(ReadCsv("x\n9007199254740993\n"), kBad, "float64 does not hold exactly");
  EXPECT_REFUSED(ReadCsv("tags\n1||2\n"), kBad, "found the entry \"\"");
  EXPECT_REFUSED(ReadCsv("tags\n1|\n"), kBad, "found the entry \"\"");
  EXPECT_REFUSED(ReadCsv("tags\n1|2.5\n"), kBad, "found the entry \"2.5\"");
  EXPECT_REFUSED(ReadCsv("h.i,h.w\n1|2,0.5\n"), kBad, "r.csv:2: feature \"h\": lists of unequal");
  EXPECT_REFUSED(ReadCsv("h.i,h.w\n1|2,\n"), kBad, "\"w\" is missing");
  EXPECT_REFUSED(ReadCsv("city\na\"b\n"), kBad, "r.csv:2:2: a quote inside the cell");
  EXPECT_REFUSED(ReadCsv("city\n\"a\"b\n"), kBad, "r.csv:2:4: found \"b\" after a quoted cell");
  EXPECT_REFUSED(ReadCsv("city\n\"a\nb\n"), kBad, "r.csv:2: a quoted cell that is never closed");
  EXPECT_REFUSED(ReadCsv("city\n\xff\n"), kBad, "not valid UTF-8");
}

}  // namespace
}  // namespace dsi
