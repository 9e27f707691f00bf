// Rows that cannot be read and are left out: which, where the reading goes on, what ends it.
#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;
constexpr char kNumber[] = R"({"name": "x", "kind": "dense", "type": "int64"})";
constexpr char kTwo[] = R"({"name": "x", "kind": "dense", "type": "int64"},
                           {"name": "s", "kind": "string"})";

class BadRowsTest : public test::TextTest {
 protected:
  // Reads all rows; "line text" of those left out.
  Status ReadAll(const std::string& name, std::string_view text, const std::string& features) {
    left_out_.clear();
    return ReadText(name, text, features, Options());
  }
  TextInputOptions Options() {
    TextInputOptions options;
    options.on_bad_row = [this](const BadRow& row) -> Status {
      EXPECT_NE(row.reason.find(std::string(row.file) + ":"), std::string::npos) << row.reason;
      left_out_ += std::to_string(row.line) + " " + std::string(row.text) + "\n";
      if (left_out_.size() > 1000) return {StatusCode::kCancelled, "enough"};
      return {};
    };
    return options;
  }
  Result<Schema> Infer(const std::string& name, std::string_view text) {
    return InferSchema(Write(name, text), {.text = Options(), .max_rows = 0, .progress = {}});
  }

  std::string left_out_;
};

TEST_F(BadRowsTest, JsonLinesGoOnBehindEachKind) {
  ASSERT_TRUE(
      ReadAll("a.jsonl",
              "{\"x\":1}\n{\"x\":\n\nnull\n{\"x\":2}\n{\"x\":\"w\"}\n{\"y\":1}\n{\"x\":3,\"x\":4}"
              "\n{\"x\":0.5}\n\xff\n{\"x\":5}",
              kNumber)
          .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 2, 5}));
  EXPECT_EQ(left_out_,
            "2 {\"x\":\n4 null\n6 {\"x\":\"w\"}\n7 {\"y\":1}\n8 {\"x\":3,\"x\":4}\n9 {\"x\":0.5}\n"
            "10 \xff\n");
}

TEST_F(BadRowsTest, ARowThatIsSetInPartLeavesNothing) {
  ASSERT_TRUE(
      ReadAll("a.jsonl", "{\"s\":\"kept\"}\n{\"s\":\"gone\",\"x\":true}\n{\"x\":7}\n", kTwo).ok());
  EXPECT_EQ(batch_->num_rows(), 2U);
  EXPECT_EQ(Text(1), "kept");
  // Columns of unequal lengths are found at the end of the row.
  ASSERT_TRUE(
      ReadAll("h.jsonl", "{\"h\":{\"i\":[1],\"j\":[]}}\n{\"h\":{\"i\":[2],\"j\":[3]}}\n",
              R"({"name": "h", "kind": "sequence", "columns": [{"name": "i"}, {"name": "j"}]})")
          .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{2}));
}

TEST_F(BadRowsTest, AStrayQuoteTakesOneLine) {
  ASSERT_TRUE(
      ReadAll("a.csv",
              "x,s\n1,ok\n2,\"open\n3,ok\n4,\"two\nlines\"\nw,\"of\n5,these\"\n6,a\"b\n7,ok,more\n"
              "x,s\n8,ok\n9,\"open",
              kTwo)
          .ok());
  // Of a record whose values are bad all of its lines go, for they are no rows of their own.
  EXPECT_EQ(left_out_,
            "3 2,\"open\n7 w,\"of\n5,these\"\n9 6,a\"b\n10 7,ok,more\n11 x,s\n13 9,\"open\n");
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 3, 4, 8}));
  EXPECT_EQ(Text(1), "okoktwo\nlinesok");
}

TEST_F(BadRowsTest, WhatNoRowIsToBlameForEndsTheReading) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "{\"x\":" + std::to_string(i) + "}\n";
  const std::string gzip = test::Gzip(text);
  EXPECT_REFUSED(ReadAll("a.jsonl.gz", gzip.substr(0, gzip.size() / 2), kNumber),
                 StatusCode::kTruncated, "end early");
  EXPECT_REFUSED(ReadAll("a.jsonl.gz", gzip + "more", kNumber), kBad, "damaged gzip");
  EXPECT_REFUSED(ReadAll("a.csv", "x,x\n1,2\n", kNumber), kBad, "stands twice");
  EXPECT_EQ(left_out_, "");
  TextInputOptions options = Options();
  options.max_line_bytes = 10;
  EXPECT_REFUSED(ReadText("l.jsonl", "{\"x\":1}\n{\"x\":12345678}\n", kNumber, options),
                 StatusCode::kResourceExhausted, "a line of more than");
  EXPECT_REFUSED(ReadAll("m.jsonl", std::string(2000, 'x') + "\n", kNumber), StatusCode::kCancelled,
                 "enough");
}

TEST_F(BadRowsTest, ASchemaOfWhatMostRowsHold) {
  const auto type_of = [](const Result<Schema>& schema, size_t feature) {
    EXPECT_TRUE(schema.ok()) << schema.status().ToString();
    if (!schema.ok() || schema->features.size() <= feature) return std::string("none");
    return schema->features[feature].name + " " +
           std::string(KindName(schema->features[feature].kind)) + " " +
           std::string(TypeName(schema->features[feature].columns[0].type));
  };
  EXPECT_EQ(
      type_of(Infer("a.jsonl", "{\"x\":1}\n{\"x\":2}\n{\"x\":\"word\"}\n{\"x\":\n{\"x\":true}\n"),
              0),
      "x dense int64");
  EXPECT_EQ(type_of(Infer("a.jsonl", "{\"x\":1}\n{\"x\":\"a\"}\n{\"x\":\"word\"}\n"), 0),
            "x string bytes");
  EXPECT_EQ(type_of(Infer("a.jsonl", "{\"x\":1}\n{\"x\":[1]}\n{\"x\":[]}\n"), 0), "x list int64");
  EXPECT_EQ(type_of(Infer("a.jsonl", "{\"x\":1}\n{\"x\":2}\n{\"x\":[0.5]}\n"), 0), "x dense int64");
  EXPECT_EQ(type_of(Infer("a.jsonl", "{\"x\":0.5}\n{\"x\":\"NaN\"}\n"), 0), "x dense float64");
  EXPECT_EQ(type_of(Infer("a.jsonl", "{\"x\":-1}\n{\"x\":18446744073709551615}\n"), 0),
            "x dense int64");
  // Lists of lists of lists have no place in a row; those of texts become ids.
  EXPECT_EQ(type_of(Infer("a.jsonl", "{\"t\":[[[1]]],\"x\":1}\n{\"x\":2}\n"), 0), "x dense int64");
  EXPECT_EQ(type_of(Infer("a.jsonl", "{\"t\":[\"a\"],\"x\":1}\n{\"x\":2}\n"), 0), "t list int64");
  EXPECT_EQ(left_out_, "");
  // Without leaving rows out the first of these is refused.
  EXPECT_EQ(InferSchema(Write("a.jsonl", "{\"x\":1}\n{\"x\":\"a\"}\n")).status().code(), kBad);
}

// Whatever rare rows hold, it takes no row of the others.
TEST_F(BadRowsTest, RareRowsDecideNothing) {
  const auto kept = [&](const std::string& often, const std::string& once, bool once_first) {
    const std::string text = (once_first ? once : often) + often + often + (once_first ? "" : once);
    const Result<Schema> schema = Infer("a.jsonl", text);
    EXPECT_TRUE(schema.ok()) << text << schema.status().ToString();
    if (!schema.ok()) return;
    left_out_.clear();
    EXPECT_TRUE(
        Read(Write("a.jsonl", text), std::make_shared<const Schema>(*schema), Options()).ok());
    EXPECT_EQ(batch_->num_rows(), once_first ? 2U : 3U) << text << left_out_;
  };
  const std::pair<const char*, const char*> mixtures[] = {
      {R"({"x":[1,2]})", R"({"x":[{"a":1}]})"},
      {R"({"x":[{"a":1}]})", R"({"x":[1,2]})"},
      {R"({"x":[{"a":1}]})", R"({"x":7})"},
      {R"({"x":1000000000000000001})", R"({"x":0.5})"},
      {R"({"x":1000000000000000001})", R"({"x":"NaN","y":true})"},
      {R"({"x":0.5})", R"({"x":1000000000000000001})"},
      {R"({"x":18446744073709551615})", R"({"x":-1})"},
      {R"({"x":-1})", R"({"x":18446744073709551615})"},
      {R"({"x":[{"a":1,"b":2}]})", R"({"x":[{"a":"w","b":1}]})"},
      {R"({"x":[{"a":1}]})", R"({"x":[{"a":[1]}]})"},
      {R"({"x":[{"a":[1]}]})", R"({"x":[{"a":1}]})"},
      {R"({"x":1})", R"({"x":{"y":2}})"},
      {R"({"x":{"y":2}})", R"({"x":1})"},
      {R"({"x":{"y":{"z":2}}})", R"({"x":{"y":3}})"},
  };
  for (const auto& [often, once] : mixtures) {
    for (const bool once_first : {false, true})
      kept(std::string(often) + "\n", std::string(once) + "\n", once_first);
  }
}

TEST_F(BadRowsTest, ListSeparators) {
  constexpr char kLists[] =
      R"({"name": "l", "kind": "list"}, {"name": "f", "kind": "list", "type": "float32"})";
  for (const char separator : {'|', ',', ';', ' ', ':', '/'}) {
    const std::string s(1, separator);
    TextInputOptions options;
    options.list_separator = separator;
    const std::string text = "l,f\n\"1" + s + "-2\",\"0.5" + s + "1e3\"\n7,\"\"\n";
    ASSERT_TRUE(ReadText("a.csv", text, kLists, options).ok());
    EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, -2, 7}));
    EXPECT_EQ(Values<float>(1), (std::vector<float>{0.5, 1000}));
    const auto schema =
        InferSchema(folder_.File("a.csv"), {.text = options, .max_rows = 0, .progress = {}});
    ASSERT_TRUE(schema.ok());
    EXPECT_EQ(schema->features[0].kind, Kind::kList);
    EXPECT_EQ(schema->features[1].columns[0].type, Type::kFloat64);
  }
  TextInputOptions options;
  for (const char bad : {'1', 'e', '-', '.', '"', '\n', '\0'}) {
    options.list_separator = bad;
    EXPECT_REFUSED(ReadText("a.csv", "l,f\n", kLists, options), StatusCode::kInvalidArgument,
                   "list separator");
  }
}

TEST_F(BadRowsTest, FormsOfCellsAreOfCellsAlone) {
  const auto refused = [&](const auto& set, const char* what) {
    TextInputOptions options;
    set(&options);
    EXPECT_TRUE(ReadText("a.csv", "", R"({"name": "l", "kind": "list"})", options).code() !=
                StatusCode::kInvalidArgument);
    for (const TextFormat format :
         {TextFormat::kJsonLines, TextFormat::kTfRecord, TextFormat::kCriteo}) {
      options.format = format;
      EXPECT_REFUSED(ReadText("a", "", R"({"name": "l", "kind": "list"})", options),
                     StatusCode::kInvalidArgument, what);
      EXPECT_REFUSED(
          InferSchema(Write("a", ""), {.text = options, .max_rows = 0, .progress = {}}).status(),
          StatusCode::kInvalidArgument, what);
    }
  };
  refused([](TextInputOptions* o) { o->list_separator = ','; }, "a list separator is stated");
  refused([](TextInputOptions* o) { o->separator = ';'; }, "a separator of cells is stated");
  refused([](TextInputOptions* o) { o->header = {"l"}; }, "a header is stated");
  refused([](TextInputOptions* o) { o->quotes = false; }, "that cells have no quotes is stated");
  refused([](TextInputOptions* o) { o->missing = "NA"; }, "what missing cells hold is stated");
}

}  // namespace
}  // namespace dsi
