// Lists of lists in JSON: the entries of all inner lists in one feature, their lengths in another.
#include "dsi/format/lists_of_lists.h"

#include "dsi/tests/text/text_fixture.h"
#include "dsi/writer/row_batch.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;
constexpr char kFeatures[] = R"({"name": "t", "kind": "list", "hashed": true},
    {"name": "t_lengths", "kind": "list", "type": "int64"},
    {"name": "h", "kind": "sequence", "columns": [{"name": "a", "type": "int64"},
        {"name": "b_lengths", "type": "int32"}]},
    {"name": "h.b", "kind": "list", "type": "float32", "nested": false})";
enum Feature : size_t { kT, kLengths, kH, kB };

class ListsOfListsTest : public test::TextTest {
 protected:
  Status Lines(const std::string& rows, NullEntries nulls = NullEntries::kFail) {
    TextInputOptions options;
    options.null_entries = nulls;
    return ReadText("r.jsonl", rows, kFeatures, options);
  }

  std::string Infer(const std::string& rows, bool leaves_out = false) {
    InferOptions options;
    if (leaves_out) options.text.on_bad_row = [](const BadRow&) { return Status::Ok(); };
    const auto schema = InferSchema(Write("r.jsonl", rows), options);
    if (!schema.ok()) return schema.status().message();
    std::string text;
    for (const FeatureSpec& feature : schema->features) {
      text += (text.empty() ? "" : "; ") + feature.name;
      for (const ColumnSpec& column : feature.columns)
        text += " " + column.name + ":" + std::string(TypeName(column.type));
    }
    return text;
  }
};

TEST_F(ListsOfListsTest, EntriesAndLengths) {
  ASSERT_TRUE(Lines(R"({"t":[[1,2],[],[3]],"h":[{"b":[0.5],"a":7},{"a":8,"b":[]}]})"
                    "\n"
                    R"({"t":[[]],"h":[]})"
                    "\n"
                    R"({"t":[],"h":{"a":[9,10],"b":[[1],[2,3]]}})"
                    "\n"
                    R"({"t":null,"h":null})"
                    "\n"
                    R"({"t":[["4"]]})"
                    "\n")
                  .ok());
  EXPECT_EQ(Values<int64_t>(kT).size(), 4U);
  EXPECT_EQ(Values<int64_t>(kT)[3], static_cast<int64_t>(IdOfText("4", Type::kInt64)));
  EXPECT_EQ(batch_->feature(kT).lengths, (std::vector<uint32_t>{3, 0, 0, 1}));
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{2, 0, 1, 0, 1}));
  EXPECT_EQ(batch_->feature(kLengths).lengths, (std::vector<uint32_t>{3, 1, 0, 1}));
  EXPECT_EQ(Values<int64_t>(kH, 0), (std::vector<int64_t>{7, 8, 9, 10}));
  EXPECT_EQ(Values<int32_t>(kH, 1), (std::vector<int32_t>{1, 0, 1, 2}));
  EXPECT_EQ(batch_->feature(kH).lengths, (std::vector<uint32_t>{2, 0, 2}));
  EXPECT_EQ(Values<float>(kB), (std::vector<float>{0.5F, 1, 2, 3}));
  EXPECT_EQ(batch_->feature(kB).lengths, (std::vector<uint32_t>{1, 0, 3}));
}

TEST_F(ListsOfListsTest, AsTheyStandInAFile) {
  // Entries side by side come with their lengths, in any order; none need none.
  ASSERT_TRUE(Lines(R"({"t":[1,2],"t_lengths":[2,0],"h":{"b_lengths":[1],"a":[5]},"h.b":[0.5]})"
                    "\n"
                    R"({"t_lengths":[0,0],"t":[]})"
                    "\n"
                    R"({"t":[]})"
                    "\n")
                  .ok());
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{2, 0, 0, 0}));
  EXPECT_EQ(batch_->feature(kLengths).lengths, (std::vector<uint32_t>{2, 2, 0}));
  EXPECT_REFUSED(Lines(R"({"t":[1,2]})"), kBad, "expected one of lists, or \"t_lengths\" in");
  EXPECT_REFUSED(Lines(R"({"h.b":[1,2]})"), kBad, "or \"h.b_lengths\" in the row");
}

TEST_F(ListsOfListsTest, LengthsThatCouldHaveLengths) {
  const std::string features =
      std::string(kFeatures) +
      R"(, {"name": "t_lengths_lengths", "kind": "list", "type": "int32"})";
  ASSERT_TRUE(ReadText("r.jsonl", R"({"t":[[1,2],[3]]})", features).ok());
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{2, 1}));
  ASSERT_TRUE(ReadText("r.jsonl", R"({"t":[1,2],"t_lengths":[[2],[0]]})", features).ok());
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{2, 0}));
}

TEST_F(ListsOfListsTest, Nulls) {
  constexpr char kInner[] = R"({"t":[[1,null],[2]],"h":[{"a":1,"b":[null,0.5]}]})";
  constexpr char kOuter[] = R"({"t":[null,[2]]})";
  constexpr char kLacks[] = R"({"h":[{"a":1},{"a":2,"b":[3]}]})";
  EXPECT_REFUSED(Lines(kInner), kBad, "feature \"t\": entry 1: found null");
  EXPECT_REFUSED(Lines(kOuter), kBad, "feature \"t\": entry 0: found null, expected a list");
  EXPECT_REFUSED(Lines(kLacks), kBad, "entry 0 has no \"h.b\"");
  EXPECT_REFUSED(Lines(kLacks, NullEntries::kDrop), kBad, "entry 0 has no \"h.b\"");
  ASSERT_TRUE(Lines(kInner, NullEntries::kDrop).ok());
  EXPECT_EQ(Values<int64_t>(kT), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(Values<int32_t>(kH, 1), (std::vector<int32_t>{1}));
  ASSERT_TRUE(Lines(kOuter, NullEntries::kDrop).ok());
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{1}));
  ASSERT_TRUE(Lines(kInner, NullEntries::kFill).ok());
  EXPECT_EQ(Values<int64_t>(kT), (std::vector<int64_t>{1, 0, 2}));
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{2, 1}));
  ASSERT_TRUE(Lines(kOuter, NullEntries::kFill).ok());
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{0, 1}));
  ASSERT_TRUE(Lines(R"({"t":[null,null]})", NullEntries::kFill).ok());
  EXPECT_EQ(Values<int64_t>(kLengths), (std::vector<int64_t>{0, 0}));
  EXPECT_TRUE(Values<int64_t>(kT).empty());
  ASSERT_TRUE(Lines(kLacks, NullEntries::kFill).ok());
  EXPECT_EQ(Values<int32_t>(kH, 1), (std::vector<int32_t>{0, 1}));
}

TEST_F(ListsOfListsTest, WhatDoesNotFitIsSaid) {
  for (const auto& [row, part] :
       {std::pair(R"({"t":[[1],2]})",
                  "feature \"t\": entry 1: found the number 2, expected a list"),
        std::pair(R"({"t":[1,[2]],"t_lengths":[2]})", "entry 1: found an array"),
        std::pair(R"({"t":[[[1]]]})", "entry 0: found an array"),
        std::pair(R"({"t":[[1],["x"]]})", "entry 1: found the string \"x\""),
        std::pair(R"({"t":[[1]],"t_lengths":[1]})", "\"t_lengths\" stands twice"),
        std::pair(R"({"t_lengths":[1],"t":[[1]]})", "\"t_lengths\" stands in the row, and lists"),
        std::pair(R"({"h":[{"a":1,"b":2}]})", "feature \"h.b\": entry 0: found the number 2"),
        std::pair(R"({"h":[{"a":1,"b":[1],"b":[2]}]})", "entry 0: \"h.b\" stands twice"),
        std::pair(R"({"h.b":[1],"h":[{"a":1,"b":[1]}]})", "\"h.b\" stands twice in the row"),
        std::pair(R"({"h":[{"a":1,"b":[1]}],"h.b":[1]})", "\"h.b\" stands twice in the row"),
        std::pair(R"({"h":{"a":[1,2],"b":[[1]]}})", "lists of unequal lengths")}) {
    EXPECT_REFUSED(Lines(row), kBad, part);
  }
  EXPECT_REFUSED(ReadText("r.jsonl", R"({"t":[[1]]})", R"({"name": "t", "kind": "list"})"), kBad,
                 "(lists of lists take a list \"t_lengths\" of int32 beside it)");
}

TEST_F(ListsOfListsTest, FoundWithoutASchema) {
  EXPECT_EQ(Infer(R"({"x":1,"t":[[1],[2]],"u":{"t":[["a"],[]]},"e":[[],[]]})"),
            "x :int64; t :int64; u.t :int64; e :int64; t_lengths :int32; u.t_lengths :int32; "
            "e_lengths :int32");
  EXPECT_EQ(Infer("{\"u\":{\"h\":[{\"a\":1,\"b\":[0.5]}]}}\n{\"u\":{\"h\":[]}}\n"),
            "u.h a:int64 b_lengths:int32; u.h.b :float64");
  EXPECT_EQ(Infer(R"({"h":[{"b":["x"]}]})"), "h b_lengths:int32; h.b :int64");
  for (const auto& [rows, part] :
       {std::pair("{\"t\":[[1]]}\n{\"t\":[1]}\n",
                  "a list of lists on line 1 and a list of values on line 2"),
        std::pair("{\"h\":[{\"b\":[1]},{\"b\":1}]}\n", "\"h.b\": a list of lists on line 1"),
        std::pair("{\"t\":[[[1]]]}\n", "found an array in an array of arrays"),
        std::pair("{\"t\":[[{\"a\":1}]]}\n", "found an object in an array of arrays"),
        std::pair("{\"h\":[{\"b\":[[1]]}]}\n", "found an array in an object of the array"),
        std::pair("{\"t\":[[null]]}\n", "found null in an array of arrays"),
        std::pair("{\"t\":[[1]],\"t_lengths\":[1]}\n", "\"t_lengths\" stands twice"),
        std::pair("{\"t\":[{\"a\":1}]}\n{\"t\":[[]]}\n", "a list of objects on line 1 and a list"),
        std::pair("{\"t\":[[1]]}\n{\"t\":1}\n", "a list on line 1 and a single value on line 2")}) {
    EXPECT_NE(Infer(rows).find(part), std::string::npos) << Infer(rows);
  }
  // Nulls that are filled say nothing of the type.
  InferOptions fills;
  fills.text.null_entries = NullEntries::kFill;
  const auto nulls =
      InferSchema(Write("n.jsonl", R"({"t":[[null]],"h":[{"b":[null]},{}]})"), fills);
  ASSERT_TRUE(nulls.ok()) << nulls.status().ToString();
  EXPECT_EQ(nulls->features.size(), 4U);
  EXPECT_TRUE(FindLengths(*nulls)[0] && FindLengths(*nulls).back());
  // Of a mixture what more rows have stays.
  EXPECT_EQ(Infer("{\"t\":[[1],[2]]}\n{\"t\":[1,2,3,4]}\n{\"t\":[[1]]}\n", true),
            "t :int64; t_lengths :int32");
  EXPECT_EQ(Infer("{\"t\":[[1]]}\n{\"t\":[1,2]}\n", true), "t :int64");
}

TEST(FindLengths, OfWhatTakesThem) {
  const auto found = [](const std::string& features) {
    const auto schema = Schema::FromJson("{\"features\": [" + features + "]}");
    EXPECT_TRUE(schema.ok()) << schema.status().ToString();
    std::string text;
    for (const auto& lengths : FindLengths(*schema)) {
      text +=
          lengths ? std::to_string(lengths->feature) + "." + std::to_string(lengths->column) : "-";
      text += " ";
    }
    return text;
  };
  EXPECT_EQ(found(kFeatures), "1.0 - - 2.1 ");
  const std::string list = R"({"name": "t", "kind": "list"}, )";
  EXPECT_EQ(found(list + R"({"name": "t_lengths", "kind": "list", "type": "int16"})"), "- - ");
  EXPECT_EQ(found(list + R"({"name": "t_lengths", "kind": "list", "type": "float32"})"), "- - ");
  EXPECT_EQ(found(list + R"({"name": "t_lengths", "kind": "list", "hashed": true})"), "- - ");
  EXPECT_EQ(found(list + R"({"name": "t_lengths", "kind": "list", "unit": "s"})"), "- - ");
  EXPECT_EQ(found(list + R"({"name": "t_lengths", "kind": "dense", "type": "int32"})"), "- - ");
  EXPECT_EQ(found(R"({"name": "t", "kind": "dense"}, {"name": "t_lengths", "kind": "list"})"),
            "- - ");
}

}  // namespace
}  // namespace dsi
