// Lists in cells of CSV, between separators and in brackets, and entries that are null, in CSV and
// JSON Lines.
#include <cmath>

#include "dsi/format/types.h"
#include "dsi/tests/text/text_fixture.h"
#include "dsi/text/delimited/list_cell_internal.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;

// Entries in order: "word", 'quoted' or null; in brackets where the cell was.
std::string Cut(std::string_view text, char separator = '|') {
  internal::ListCell cell;
  cell.Cut(text, separator);
  std::string out;
  for (const internal::ListEntry& entry : cell.entries()) {
    if (!out.empty()) out += ' ';
    switch (entry.form) {
      case internal::ListEntry::Form::kWord:
        out.append("\"").append(entry.text).append("\"");
        break;
      case internal::ListEntry::Form::kQuoted:
        out.append("'").append(entry.text).append("'");
        break;
      case internal::ListEntry::Form::kNull:
        out += "null";
    }
  }
  return cell.in_brackets() ? "[" + out + "]" : out;
}

TEST(ListCell, Separators) {
  EXPECT_EQ(Cut(""), "");
  EXPECT_EQ(Cut("a"), "\"a\"");
  EXPECT_EQ(Cut("a|b c"), "\"a\" \"b c\"");
  EXPECT_EQ(Cut("1||2|"), "\"1\" null \"2\" null");
  EXPECT_EQ(Cut("1,2", ','), "\"1\" \"2\"");
}

TEST(ListCell, Brackets) {
  EXPECT_EQ(Cut("[]"), "[]");
  EXPECT_EQ(Cut("[ ]"), "[]");
  EXPECT_EQ(Cut("[1, 2,3]"), "[\"1\" \"2\" \"3\"]");
  EXPECT_EQ(Cut("[ 1.  2e-3\n 3]"), "[\"1.\" \"2e-3\" \"3\"]");
  EXPECT_EQ(Cut("[new york, paris]"), "[\"new york\" \"paris\"]");
  EXPECT_EQ(Cut("[1, None, null, , 2]"), "[\"1\" null null null \"2\"]");
  EXPECT_EQ(Cut("[1,]"), "[\"1\" null]");
  EXPECT_EQ(Cut("[1, nan]"), "[\"1\" \"nan\"]");
  EXPECT_EQ(Cut("['a', nan, 'None']"), "['a' null 'None']");
  EXPECT_EQ(Cut("['a' 'b, c']"), "['a' 'b, c']");
  EXPECT_EQ(Cut("[\"it's\", 'x']"), "['it's' 'x']");
  EXPECT_EQ(Cut("[don't, x]"), "[\"don't\" \"x\"]");
  EXPECT_EQ(Cut("[1|2]"), "[\"1|2\"]");
}

TEST(ListCell, EscapesOfJsonAndPython) {
  EXPECT_EQ(Cut(R"(['it\'s', "\"\\\/\n"])"), "['it's' '\"\\/\n']");
  EXPECT_EQ(Cut(R"(["\u00e9\ud83d\ude00", '\xe9\U0001f600'])"),
            "['\xc3\xa9\xf0\x9f\x98\x80' '\xc3\xa9\xf0\x9f\x98\x80']");
  EXPECT_EQ(Cut(R"(["a\u0041", "b"])"), "['aA' 'b']");
  EXPECT_EQ(Cut(R"(["\u20ac"])"), "['\xe2\x82\xac']");
}

TEST(ListCell, WhatIsNoListInBracketsIsCutBySeparators) {
  EXPECT_EQ(Cut("[1|2"), "\"[1\" \"2\"");
  EXPECT_EQ(Cut("[Live]|[Remix]"), "\"[Live]\" \"[Remix]\"");
  EXPECT_EQ(Cut("[[1], [2]]"), "\"[[1], [2]]\"");
  for (const char* text :
       {"['a", "['a]", "['a'b]", R"(["\q"])", R"(["\ud83d"])", R"(["\ud83d\u0041"])", R"(["\u12"])",
        R"(['a\])", R"(['\U00110000'])", "['a' b', c]"}) {
    EXPECT_EQ(Cut(text, ';'), '"' + std::string(text) + '"');
  }
}

class ListCellsTest : public test::TextTest {
 protected:
  // "kind type" of each feature.
  std::string Infer(std::string_view text, const InferOptions& options = {},
                    const std::string& name = "a.csv") {
    const auto schema = InferSchema(Write(name, text), options);
    if (!schema.ok()) return schema.status().message();
    std::string out;
    for (const FeatureSpec& feature : schema->features) {
      const ColumnSpec& column = feature.columns[0];
      out += (out.empty() ? "" : ", ") + feature.name + " " + std::string(KindName(feature.kind)) +
             " " + std::string(column.hashed ? "hashed" : TypeName(column.type));
    }
    return out;
  }
  static InferOptions Nulls(NullEntries nulls) {
    InferOptions options;
    options.text.null_entries = nulls;
    return options;
  }
};

TEST_F(ListCellsTest, BracketsAreFoundAndRead) {
  constexpr char kText[] =
      "i,f,t,b\n\"[1, 2]\",[0.5],\"['a', \"\"b\"\"]\",\"[True, False]\"\n[],[1 2],[],[]\n";
  EXPECT_EQ(Infer(kText), "i list int64, f list float64, t list hashed, b list bool");
  ASSERT_TRUE(ReadText("a.csv", kText,
                       R"({"name": "i", "kind": "list"},
                          {"name": "f", "kind": "list", "type": "float32"},
                          {"name": "t", "kind": "list", "hashed": true},
                          {"name": "b", "kind": "list", "type": "bool"})")
                  .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(Values<float>(1), (std::vector<float>{0.5, 1, 2}));
  EXPECT_EQ(Values<int64_t>(2),
            (std::vector<int64_t>{static_cast<int64_t>(IdOfText("a", Type::kInt64)),
                                  static_cast<int64_t>(IdOfText("b", Type::kInt64))}));
  EXPECT_EQ(Values<uint8_t>(3), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(batch_->feature(2).lengths, (std::vector<uint32_t>{2, 0}));
}

TEST_F(ListCellsTest, BracketsOfWordsAreTextUnlessStated) {
  EXPECT_EQ(Infer("a\n[INFO]\n[x]\n"), "a string bytes");
  EXPECT_EQ(Infer("a\n['x']\nfree text\n"), "a string bytes");
  EXPECT_EQ(Infer("a\n[1]\nfree text\n"), "a string bytes");
  EXPECT_EQ(Infer("a\n[1]\n2\n"), "a list int64");
  InferOptions options;
  options.lists = {"a"};
  EXPECT_EQ(Infer("a\n\"[x, y]\"\nz\n", options), "a list hashed");
}

TEST_F(ListCellsTest, StatedColumnsAreLists) {
  InferOptions options;
  options.lists = {"t", "n"};
  options.text.list_separator = ' ';
  EXPECT_EQ(Infer("t,n,o\na b,1,a b\nc,2,c\n", options),
            "t list hashed, n list int64, o string bytes");
  options.lists = {"t", "u"};
  EXPECT_NE(Infer("t\na\n", options).find("no column \"u\""), std::string::npos);
}

TEST_F(ListCellsTest, NullsFailUnlessStated) {
  EXPECT_NE(Infer("a\n\"[1, None]\"\n").find("feature \"a\": a list with a null on line 2"),
            std::string::npos);
  EXPECT_EQ(Infer("a\n\"[1, None]\"\nfree text\n"), "a string bytes");
  EXPECT_EQ(Infer("a\n\"[1, None]\"\n", Nulls(NullEntries::kDrop)), "a list int64");
  EXPECT_EQ(Infer("a\n1||2\n", Nulls(NullEntries::kDrop)), "a list int64");
  EXPECT_EQ(Infer("a\n1||2\n"), "a string bytes");
  // A row that has one is left out where bad rows are.
  InferOptions skip;
  skip.text.on_bad_row = [](const BadRow&) { return Status(); };
  EXPECT_EQ(Infer("a\n\"[1, None]\"\n[2]\n", skip), "a list int64");
  EXPECT_EQ(Infer("{\"a\":[null]}\n", Nulls(NullEntries::kFill), "a.jsonl"), "a list int64");
  constexpr char kList[] = R"({"name": "a", "kind": "list"})";
  constexpr char kHashed[] = R"({"name": "a", "kind": "list", "hashed": true})";
  EXPECT_REFUSED(ReadText("a.csv", "a\n1||2\n", kList), kBad, "lists hold neither null nor lists");
  EXPECT_REFUSED(ReadText("a.csv", "a\n\"['x', None]\"\n", kHashed), kBad,
                 "a.csv:2: feature \"a\": entry 1: found null");
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"a\":[1,null]}\n", kList), kBad, "entry 1: found null");
  // Nothing between separators is a text.
  ASSERT_TRUE(ReadText("a.csv", "a\nx||\n", kHashed).ok());
  EXPECT_EQ(batch_->feature(0).lengths, (std::vector<uint32_t>{3}));
}

constexpr char kNullFeatures[] = R"({"name": "i", "kind": "list"},
    {"name": "f", "kind": "list", "type": "float32"},
    {"name": "t", "kind": "list", "hashed": true})";

// The same rows in both formats.
struct NamedText {
  const char* name;
  const char* text;
};
constexpr NamedText kWithNulls[] = {
    {"a.csv", "i,f,t\n[1 None 3],.5||2,\"['x', nan]\"\n|4,[null],\n"},
    {"a.jsonl",
     "{\"i\":[1,null,3],\"f\":[0.5,null,2],\"t\":[\"x\",null]}\n{\"i\":[null,4],\"f\":[null]}\n"}};

TEST_F(ListCellsTest, NullsAreDropped) {
  for (const NamedText& rows : kWithNulls) {
    ASSERT_TRUE(ReadText(rows.name, rows.text, kNullFeatures, Nulls(NullEntries::kDrop).text).ok());
    EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 3, 4}));
    EXPECT_EQ(batch_->feature(0).lengths, (std::vector<uint32_t>{2, 1}));
    EXPECT_EQ(Values<float>(1), (std::vector<float>{0.5, 2}));
    EXPECT_EQ(batch_->feature(1).lengths, (std::vector<uint32_t>{2, 0}));
    EXPECT_EQ(batch_->feature(2).lengths[0], 1U);
  }
}

TEST_F(ListCellsTest, NullsAreFilled) {
  for (const NamedText& rows : kWithNulls) {
    ASSERT_TRUE(ReadText(rows.name, rows.text, kNullFeatures, Nulls(NullEntries::kFill).text).ok());
    EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 0, 3, 0, 4}));
    const std::vector<float> floats = Values<float>(1);
    ASSERT_EQ(floats.size(), 4U);
    EXPECT_TRUE(std::isnan(floats[1]) && std::isnan(floats[3]));
    const std::vector<int64_t> ids = Values<int64_t>(2);
    ASSERT_EQ(ids.size(), 2U);
    EXPECT_EQ(ids[1], static_cast<int64_t>(IdOfText("", Type::kInt64)));
  }
  // The same where a list of texts has nulls alone; one of numbers has zeros.
  const auto fill = Nulls(NullEntries::kFill).text;
  const std::string hashed = R"({"name": "t", "kind": "list", "hashed": true})";
  const auto empty = static_cast<int64_t>(IdOfText("", Type::kInt64));
  ASSERT_TRUE(ReadText("a.jsonl", "{\"t\":[null]}\n{\"t\":[null,3]}\n", hashed, fill).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{empty, 0, 3}));
  ASSERT_TRUE(ReadText("a.csv", "t\n[None]\n", hashed, fill).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{empty}));
}

constexpr char kPairs[] = R"({"name": "s", "kind": "sequence",
    "columns": [{"name": "i"}, {"name": "f", "type": "float32"}]})";

TEST_F(ListCellsTest, EntriesOfSeveralColumnsAreFilledOrLeftOutWhole) {
  const TextInputOptions drop = Nulls(NullEntries::kDrop).text;
  const TextInputOptions fill = Nulls(NullEntries::kFill).text;
  const std::string lacks = "{\"s\":[{\"i\":1,\"f\":0.5},null,{\"f\":2},{\"i\":3,\"f\":null}]}\n";
  ASSERT_TRUE(ReadText("a.jsonl", lacks, kPairs, fill).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 0, 0, 3}));
  const std::vector<float> floats = Values<float>(0, 1);
  ASSERT_EQ(floats.size(), 4U);
  EXPECT_TRUE(std::isnan(floats[1]) && floats[2] == 2 && std::isnan(floats[3]));
  EXPECT_EQ(Infer(lacks, Nulls(NullEntries::kFill), "b.jsonl"), "s sequence int64");
  EXPECT_REFUSED(ReadText("a.jsonl", lacks, kPairs, drop), kBad, "entry 1 has no \"s.i\"");
  ASSERT_TRUE(ReadText("a.jsonl", "{\"s\":[null,{\"i\":1,\"f\":0.5}]}\n", kPairs, drop).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1}));
  EXPECT_REFUSED(ReadText("a.jsonl", "{\"s\":{\"i\":[1,null],\"f\":[null,2]}}\n", kPairs, drop),
                 kBad, "entry 1: found null");
  EXPECT_REFUSED(ReadText("a.csv", "s.i,s.f\n1|,|2\n", kPairs, drop), kBad,
                 "cannot be dropped from one column alone");
  ASSERT_TRUE(ReadText("a.csv", "s.i,s.f\n1|,|2\n", kPairs, fill).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 0}));
}

TEST_F(ListCellsTest, TruthAsPythonAndRWriteIt) {
  EXPECT_EQ(Infer("a,b\nTrue,TRUE\nFalse,FALSE\n"), "a dense bool, b dense bool");
  EXPECT_EQ(Infer("a\nTrue\nno\n"), "a string bytes");
  ASSERT_TRUE(
      ReadText("a.csv", "a\nTrue\nFALSE\n", R"({"name": "a", "kind": "dense", "type": "bool"})")
          .ok());
  EXPECT_EQ(Values<uint8_t>(0), (std::vector<uint8_t>{1, 0}));
}

}  // namespace
}  // namespace dsi
