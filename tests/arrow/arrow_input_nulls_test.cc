// Nulls in lists of Arrow: refused, left out or filled; and lists of times.
#include "dsi/tests/arrow/arrow_input_fixture.h"

namespace dsi::arrow_input_test {
namespace {

constexpr auto kNone = std::nullopt;
constexpr char kInts[] = R"({"name": "a", "kind": "list"})";
constexpr char kFloats[] = R"({"name": "a", "kind": "list", "type": "float32"})";
constexpr char kHashed[] = R"({"name": "a", "kind": "list", "hashed": true})";
constexpr char kPairs[] = R"({"name": "a", "kind": "sequence",
    "columns": [{"name": "i"}, {"name": "f", "type": "float32"}]})";

class ArrowInputNulls : public ArrowInputTest {
 protected:
  std::string With(NullEntries nulls, ArrowNode column, const std::string& feature,
                   size_t of_column = 0) {
    ArrowInputOptions options;
    options.null_entries = nulls;
    const Status status = Read({std::move(column)}, feature, options);
    return status.ok() ? RowsOf(*batch_, "a", of_column) : status.message();
  }
  std::string Drop(ArrowNode column, const std::string& feature) {
    return With(NullEntries::kDrop, std::move(column), feature);
  }
  std::string Fill(ArrowNode column, const std::string& feature) {
    return With(NullEntries::kFill, std::move(column), feature);
  }
};

// Rows: [1 null], null (with an entry all the same), [], [null 4 5].
ArrowNode SomeNulls(ArrowNode items) {
  return Lists<int32_t>("a", {0, 2, 3, 3, 6}, std::move(items), {true, false, true, true});
}

TEST_F(ArrowInputNulls, NumbersInPlaceAndPicked) {
  const ArrowNode ints = SomeNulls(Numbers<int64_t>("item", "l", {1, kNone, 9, kNone, 4, 5}));
  EXPECT_EQ(Drop(ints, kInts), "[1] - [] [4 5]");
  EXPECT_EQ(Fill(ints, kInts), "[1 0] - [] [0 4 5]");
  EXPECT_NE(With(NullEntries::kFail, ints, kInts).find("entry 1 is null"), std::string::npos);
  const ArrowNode floats = SomeNulls(Numbers<float>("item", "f", {1, kNone, 9, kNone, 4, 5}));
  EXPECT_EQ(Drop(floats, kFloats), "[1.] - [] [4. 5.]");
  EXPECT_EQ(Fill(floats, kFloats), "[1. nan] - [] [nan 4. 5.]");
  // Of a dictionary of lists, entries are picked.
  const ArrowNode picked =
      Dictionary(Numbers<int8_t>("a", "c", {3, 0, 0}),
                 SomeNulls(Numbers<int64_t>("item", "l", {1, kNone, 9, kNone, 4, 5})));
  EXPECT_EQ(Drop(picked, kInts), "[4 5] [1] [1]");
  EXPECT_EQ(Fill(picked, kInts), "[0 4 5] [1 0] [1 0]");
  // What stands under a null need not fit.
  ArrowNode wide = Numbers<int64_t>("item", "l", {1, 1'000'000'000'000, 3});
  wide.buffers[0] = BitsOf({true, false, true});
  const std::string narrow = R"({"name": "a", "kind": "list", "type": "int32"})";
  EXPECT_EQ(Drop(Lists<int64_t>("a", {0, 3}, wide), narrow), "[1 3]");
  EXPECT_EQ(Fill(Lists<int64_t>("a", {0, 3}, wide), narrow), "[1 0 3]");
}

TEST_F(ArrowInputNulls, TextsAndDictionaries) {
  const std::string x = std::to_string(IdOfText("x", Type::kInt64));
  const std::string empty = std::to_string(IdOfText("", Type::kInt64));
  const ArrowNode texts = Lists<int32_t>("a", {0, 2}, Strings<int32_t>("item", "u", {"x", kNone}));
  EXPECT_EQ(Drop(texts, kHashed), "[" + x + "]");
  EXPECT_EQ(Fill(texts, kHashed), "[" + x + " " + empty + "]");
  // A null among the indices, and one in the dictionary.
  const ArrowNode coded = Lists<int32_t>("a", {0, 3},
                                         Dictionary(Numbers<int8_t>("item", "c", {0, kNone, 1}),
                                                    Strings<int32_t>("", "u", {"x", kNone})));
  EXPECT_EQ(Fill(coded, kHashed), "[" + x + " " + empty + " " + empty + "]");
  EXPECT_NE(Drop(coded, kHashed).find("is null"), std::string::npos);
  const ArrowNode numbers = Lists<int32_t>(
      "a", {0, 3},
      Dictionary(Numbers<int8_t>("item", "c", {1, kNone, 0}), Numbers<int64_t>("", "l", {7, 8})));
  EXPECT_EQ(Drop(numbers, kInts), "[8 7]");
  EXPECT_EQ(Fill(numbers, kInts), "[8 0 7]");
  // A dictionary without values, which nulls alone refer to; an index that is not null is none.
  const auto of_none = [](std::optional<int8_t> index) {
    return Lists<int32_t>(
        "a", {0, 2},
        Dictionary(Numbers<int8_t>("item", "c", {kNone, index}), Strings<int32_t>("", "u", {})));
  };
  EXPECT_EQ(Fill(of_none(kNone), kHashed), "[" + empty + " " + empty + "]");
  EXPECT_NE(Fill(of_none(0), kHashed).find("index 0 into a dictionary of 0 values"),
            std::string::npos);
}

TEST_F(ArrowInputNulls, ListsOfNothingElse) {
  const ArrowNode nulls = Lists<int32_t>("a", {0, 2, 2}, Nulls("item", 2));
  EXPECT_EQ(Drop(nulls, kInts), "[] []");
  EXPECT_EQ(Fill(nulls, kInts), "[0 0] []");
  EXPECT_EQ(Fill(nulls, kFloats), "[nan nan] []");
}

TEST_F(ArrowInputNulls, StructsAreDroppedWholeAndFilledByColumn) {
  const auto lists = [](std::vector<bool> valid) {
    return Lists<int32_t>(
        "a", {0, 3},
        Structs("item",
                {Numbers<int64_t>("i", "l", {1, 2, 3}), Numbers<float>("f", "f", {4, 5, 6})},
                valid));
  };
  EXPECT_EQ(Drop(lists({true, false, true}), kPairs), "[1 3]");
  EXPECT_EQ(RowsOf(*batch_, "a", 1), "[4. 6.]");
  EXPECT_EQ(Fill(lists({true, false, true}), kPairs), "[1 0 3]");
  EXPECT_EQ(RowsOf(*batch_, "a", 1), "[4. nan 6.]");
  const ArrowNode member = Lists<int32_t>(
      "a", {0, 2},
      Structs("item", {Numbers<int64_t>("i", "l", {1, kNone}), Numbers<float>("f", "f", {4, 5})}));
  EXPECT_NE(Drop(member, kPairs).find("is null"), std::string::npos);
  EXPECT_EQ(Fill(member, kPairs), "[1 0]");
}

TEST_F(ArrowInputNulls, EmbeddingsKeepTheirLength) {
  const std::string vector = R"({"name": "a", "kind": "embedding", "length": 2})";
  const ArrowNode fixed = FixedLists("a", 2, Numbers<float>("item", "f", {1, kNone, 3, 4}));
  EXPECT_EQ(Fill(fixed, vector), "[1. nan] [3. 4.]");
  EXPECT_NE(Drop(fixed, vector).find("expected"), std::string::npos);
}

TEST_F(ArrowInputNulls, ListsOfTimes) {
  const std::string in_ms = R"({"name": "a", "kind": "list", "unit": "ms"})";
  const auto of = [](const std::string& format, const std::vector<std::optional<int64_t>>& items) {
    return Lists<int32_t>("a", {0, static_cast<int32_t>(items.size())},
                          Numbers<int64_t>("item", format, items));
  };
  EXPECT_EQ(With(NullEntries::kFail, of("tss:", {1, -2}), in_ms), "[1000 -2000]");
  EXPECT_EQ(With(NullEntries::kFail, of("tsu:UTC", {5000}), in_ms), "[5]");
  EXPECT_EQ(With(NullEntries::kFail, of("l", {5}), in_ms), "[5]");
  EXPECT_EQ(Fill(of("tss:", {1, kNone}), in_ms), "[1000 0]");
  EXPECT_NE(With(NullEntries::kFail, of("tsu:", {5001}), in_ms).find("found time 5001"),
            std::string::npos);
  EXPECT_NE(With(NullEntries::kFail, of("tDs", {1}), in_ms).find("found duration"),
            std::string::npos);
  // Without a unit in the schema they are numbers.
  EXPECT_EQ(With(NullEntries::kFail, of("tss:", {9}), kInts), "[9]");

  ArrowTable table(
      {of("tss:", {1}), Lists<int32_t>("d", {0, 1}, Numbers<int32_t>("item", "tdD", {1}))});
  const Result<Schema> found = SchemaFromArrow(*table.schema());
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_EQ(found->features[0].columns[0].time_unit, TimeUnit::kSeconds);
  EXPECT_EQ(found->features[1].columns[0].time_unit, TimeUnit::kSeconds);
  EXPECT_EQ(found->features[1].columns[0].type, Type::kInt64);
}

}  // namespace
}  // namespace dsi::arrow_input_test
