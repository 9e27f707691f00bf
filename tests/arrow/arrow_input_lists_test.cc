// Lists, embeddings, weighted features and sequences.
#include "dsi/tests/arrow/arrow_input_fixture.h"

namespace dsi::arrow_input_test {
namespace {

constexpr auto kNone = std::nullopt;
const std::string kInts = R"("kind": "list", "type": "int64")";

ArrowNode Ints(const std::string& name, const std::vector<std::optional<int64_t>>& values) {
  return Numbers<int64_t>(name, "l", values);
}

TEST_F(ArrowInputTest, ListsOfEachLayout) {
  const ArrowNode items = Ints("item", {1, 2, 3, 4, 5});
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 2, 2, 5}, items), kInts), "[1 2] [] [3 4 5]");
  EXPECT_EQ(Rows(Lists<int64_t>("a", {0, 2, 2, 5}, items), kInts), "[1 2] [] [3 4 5]");
  // A list that is null may have entries.
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 2, 3, 5}, items, {true, false, true}), kInts),
            "[1 2] - [4 5]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {1, 2, 4}, items), kInts), "[2] [3 4]");
  EXPECT_EQ(Rows(FixedLists("a", 2, Ints("item", {1, 2, 3, 4}), {false, true}), kInts), "- [3 4]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 0, 0}, Ints("item", {})), kInts), "[] []");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 0, 0}, Nulls("item", 0)), kInts), "[] []");
}

TEST_F(ArrowInputTest, ListViewsStandAnywhere) {
  const ArrowNode items = Ints("item", {1, 2, 3, 4, 5});
  const auto views = [&](const std::vector<int32_t>& begins, const std::vector<int32_t>& sizes) {
    return ListViews<int32_t>("a", begins, sizes, items);
  };
  EXPECT_EQ(Rows(views({3, 0, 5, 2}, {2, 3, 0, 2}), kInts), "[4 5] [1 2 3] [] [3 4]");
  EXPECT_EQ(Rows(Slice(views({3, 0, 5, 2}, {2, 3, 0, 2}), 1, 2), kInts), "[1 2 3] []");
  EXPECT_EQ(
      Rows(ListViews<int64_t>("a", {3, -9, 0}, {2, 99, 1}, items, {true, false, true}), kInts),
      "[4 5] - [1]");
  EXPECT_EQ(Rows(Dictionary(Numbers<int8_t>("a", "c", {1, kNone, 0}),
                            ListViews<int32_t>("", {3, 0}, {2, 1}, items)),
                 kInts),
            "[1] - [4 5]");
  EXPECT_EQ(Rows(ListViews<int32_t>("a", {2, 0}, {2, 2}, Numbers<float>("item", "f", {1, 2, 3, 4})),
                 R"("kind": "embedding", "type": "float32", "length": 2)"),
            "[3. 4.] [1. 2.]");
  ASSERT_TRUE(
      Read({ListViews<int64_t>("h", {1, 0}, {1, 1},
                               Structs("item", {Ints("item", {7, 8}), Ints("time", {1, 2})}))},
           R"({"name": "h", "kind": "sequence", "columns": [{"name": "item"},
                      {"name": "time"}]})")
          .ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 0), "[8] [7]");
  for (const auto& [begin, size] : {std::pair(4, 2), std::pair(6, 0), std::pair(-1, 1),
                                    std::pair(0, -1), std::pair(0, INT32_MAX)})
    EXPECT_EQ(Rows(views({0, begin}, {1, size}), kInts).substr(0, 38),
              "bad input: column \"a\", row 1: a list f");
  EXPECT_EQ(Rows(ListViews<int64_t>("a", {INT64_MAX}, {INT64_MAX}, items), kInts).substr(0, 38),
            "bad input: column \"a\", row 0: a list f");
  ArrowNode without = views({0}, {1});
  without.buffers[2] = kNone;
  EXPECT_EQ(Rows(without, kInts),
            "bad input: column \"a\": a null buffer, expected one of 1 sizes");
  without.buffers.pop_back();
  EXPECT_EQ(Rows(without, kInts).substr(0, 31), "bad input: column \"a\": 2 buffer");
}

TEST_F(ArrowInputTest, ListsAreConverted) {
  const std::string small = R"("kind": "list", "type": "uint8")";
  EXPECT_EQ(Rows(Lists<int32_t>("a", {1, 2, 4}, Ints("item", {900, 2, 3, 4, 900})), small),
            "[2] [3 4]");
  // What no row has need not fit, nor be there.
  EXPECT_EQ(
      Rows(Lists<int32_t>("a", {0, 1, 3, 4}, Ints("item", {1, 900, kNone, 4}), {true, false, true}),
           small),
      "[1] - [4]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 2}, Bools("item", {true, false})),
                 R"("kind": "list", "type": "bool")"),
            "[1 0]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 2}, Numbers<uint16_t>("item", "e", {0x3C00, 0x4000})),
                 R"("kind": "list", "type": "float32")"),
            "[1. 2.]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 1, 3}, Ints("item", {1, 2, 300})), small),
            "out of range: column \"a\", row 1: found 300, expected a value that fits type uint8");
}

TEST_F(ArrowInputTest, NullsInListsAreRefused) {
  const std::string refused = "bad input: column \"a\", row 1: entry 1 is null, expected a number";
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 1, 3}, Ints("item", {1, 2, kNone})), kInts)
                .substr(0, refused.size()),
            refused);
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 1, 3}, Nulls("item", 3)), kInts).substr(0, 35),
            "bad input: column \"a\", row 0: null ");
  EXPECT_EQ(Rows(Lists<int32_t>(
                     "a", {0, 1, 3},
                     Dictionary(Numbers<int8_t>("item", "c", {0, 0, 1}), Ints("", {5, kNone}))),
                 kInts)
                .substr(0, refused.size()),
            refused);
}

TEST_F(ArrowInputTest, SlicedLists) {
  const ArrowNode items = Slice(Ints("item", {9, 1, 2, 3, 4, 5, 9}), 1, 5);
  const ArrowNode lists = Lists<int32_t>("a", {0, 1, 3, 3, 5}, items, {true, true, false, true});
  EXPECT_EQ(Rows(Slice(lists, 1, 3), kInts), "[2 3] - [4 5]");
  EXPECT_EQ(Rows(Slice(lists, 3, 1), kInts), "[4 5]");
  EXPECT_EQ(Rows(Slice(lists, 1, 2), R"("kind": "list", "type": "int8")"), "[2 3] -");
  EXPECT_EQ(Rows(Slice(FixedLists("a", 2, Slice(Ints("item", {9, 1, 2, 3, 4, 5, 6}), 1, 6)), 1, 2),
                 kInts),
            "[3 4] [5 6]");
}

TEST_F(ArrowInputTest, DictionariesOfListsAndOfItems) {
  const ArrowNode values =
      Lists<int32_t>("", {0, 2, 2, 5}, Ints("item", {1, 2, 3, 4, 5}), {true, true, true});
  EXPECT_EQ(Rows(Dictionary(Numbers<int32_t>("a", "i", {2, 0, kNone, 2, 1}, -5), values), kInts),
            "[3 4 5] [1 2] - [3 4 5] []");
  EXPECT_EQ(Rows(Dictionary(Numbers<int8_t>("a", "c", {1, 0}),
                            Slice(Lists<int64_t>("", {0, 2, 3, 5}, Ints("item", {1, 2, 3, 4, 5}),
                                                 {true, false, true}),
                                  1, 2)),
                 R"("kind": "list", "type": "int16")"),
            "[4 5] -");
  EXPECT_EQ(Rows(Dictionary(Numbers<uint8_t>("a", "C", {1, 0, 1}),
                            FixedLists("", 2, Ints("item", {1, 2, 3, 4}))),
                 kInts),
            "[3 4] [1 2] [3 4]");
  EXPECT_EQ(Rows(Lists<int32_t>(
                     "a", {0, 1, 4},
                     Dictionary(Numbers<int16_t>("item", "s", {1, 0, 1, 1}), Ints("", {70, 80}))),
                 kInts),
            "[80] [70 80 80]");
  EXPECT_EQ(Rows(Dictionary(Numbers<int8_t>("a", "c", {1, 1}),
                            Lists<int32_t>("", {0, 1, 3},
                                           Dictionary(Numbers<int8_t>("item", "c", {0, 1, 0}),
                                                      Ints("", {7, 8})))),
                 kInts),
            "[8 7] [8 7]");
}

// Hashed columns (S-015) take strings of every layout.
TEST_F(ArrowInputTest, TextsBecomeIds) {
  const std::string list = R"("kind": "list", "type": "uint32", "hashed": true)";
  const auto id = [](const char* text) { return std::to_string(IdOfText(text, Type::kUint32)); };
  const std::string a = id("a"), b = id("b"), none = id(""), far = id("longer than twelve bytes");
  const Texts texts = {"a", "b", "", "a", "longer than twelve bytes"};
  const std::string expected = "[" + a + " " + b + "] [] [" + none + " " + a + " " + far + "]";
  const std::vector<int32_t> offsets = {0, 2, 2, 5};
  EXPECT_EQ(Rows(Lists<int32_t>("a", offsets, Strings<int32_t>("item", "u", texts)), list),
            expected);
  EXPECT_EQ(Rows(Lists<int32_t>("a", offsets, Strings<int64_t>("item", "Z", texts)), list),
            expected);
  EXPECT_EQ(Rows(Lists<int32_t>("a", offsets, StringViews("item", texts)), list), expected);
  EXPECT_EQ(
      Rows(Slice(Lists<int32_t>("a", offsets, Strings<int32_t>("item", "u", texts)), 1, 2), list),
      expected.substr(expected.find(']') + 2));
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 1, 3},
                                Dictionary(Numbers<int8_t>("item", "c", {1, 0, 1}),
                                           Strings<int32_t>("", "u", {"a", "b"}))),
                 list),
            "[" + b + "] [" + a + " " + b + "]");
  // Where no row looks there may be nulls; where one does, there may not.
  const ArrowNode holes = Strings<int32_t>("item", "u", {"a", std::nullopt, "b"});
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 1, 2, 3}, holes, {true, false, true}), list),
            "[" + a + "] - [" + b + "]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 1, 3}, holes), list).substr(0, 49),
            "bad input: column \"a\", row 1: entry 0 is null, ex");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 1}, Ints("item", {7})), list), "[7]");
}

TEST_F(ArrowInputTest, Embeddings) {
  const std::string vector = R"("kind": "embedding", "type": "float32", "length": 2)";
  const ArrowNode floats = Numbers<float>("item", "f", {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Rows(FixedLists("a", 2, floats), vector), "[1. 2.] [3. 4.] [5. 6.]");
  EXPECT_EQ(Rows(Slice(FixedLists("a", 2, floats, {true, false, true}), 1, 2), vector),
            "- [5. 6.]");
  EXPECT_EQ(Rows(FixedLists("a", 2, Numbers<double>("item", "g", {1, 2})), vector), "[1. 2.]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 2, 4}, floats), vector), "[1. 2.] [3. 4.]");
  // A null list of another length moves those behind it.
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 2, 2, 4}, floats, {true, false, true}), vector),
            "[1. 2.] - [3. 4.]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 3, 5}, floats, {false, true}), vector), "- [4. 5.]");
  EXPECT_EQ(Rows(Dictionary(Numbers<int8_t>("a", "c", {1, kNone, 0}, 7), FixedLists("", 2, floats)),
                 vector),
            "[3. 4.] - [1. 2.]");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {0, 2, 5}, floats), vector),
            "bad input: column \"a\", row 1: found 3 numbers, expected 2");
  EXPECT_EQ(Rows(FixedLists("a", 3, floats), vector).substr(0, 60),
            "bad input: column \"a\": found fixed_size_list<float32>[3], ex");
}

const std::string kHistory = R"({"name": "h", "kind": "sequence", "columns": [
    {"name": "item", "type": "int64"}, {"name": "time", "type": "int32"}]})";

TEST_F(ArrowInputTest, SequencesAsListsOfStructs) {
  const ArrowNode members =
      Structs("item", {Numbers<int32_t>("time", "i", {10, 20, 30}), Ints("item", {1, 2, 3})});
  ASSERT_TRUE(
      Read({Lists<int32_t>("h", {0, 1, 1, 3}, members, {true, false, true})}, kHistory).ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 0), "[1] - [2 3]");
  EXPECT_EQ(RowsOf(*batch_, "h", 1), "[10] - [20 30]");
  // Slices at every level, and numbers of another type in one of the columns.
  ArrowNode sliced = Slice(
      Structs("item", {Slice(Ints("time", {0, 0, 10, 20, 30}), 1, 4), Ints("item", {0, 1, 2, 3})}),
      1, 3);
  ASSERT_TRUE(Read({Slice(Lists<int64_t>("h", {0, 1, 3}, sliced), 1, 1)}, kHistory).ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 0), "[2 3]");
  EXPECT_EQ(RowsOf(*batch_, "h", 1), "[20 30]");
  // A dictionary of such lists, and of members.
  const ArrowNode shared =
      Structs("item", {Dictionary(Numbers<int8_t>("item", "c", {0, 1, 0}), Ints("", {5, 6})),
                       Ints("time", {10, 20, 30})});
  ASSERT_TRUE(Read({Dictionary(Numbers<int8_t>("h", "c", {1, 0, 1}),
                               Lists<int32_t>("", {0, 1, 3}, shared))},
                   kHistory)
                  .ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 0), "[6 5] [5] [6 5]");
  EXPECT_EQ(RowsOf(*batch_, "h", 1), "[20 30] [10] [20 30]");

  EXPECT_REFUSED(
      Read({Lists<int32_t>("h", {0, 1, 3},
                           Structs("item", {Ints("item", {1, 2, 3}), Ints("time", {1, 2, 3})},
                                   {true, false, true}))},
           kHistory),
      StatusCode::kBadInput, "column \"h.item\", row 1: entry 0 is null");
  EXPECT_REFUSED(
      Read({Lists<int32_t>("h", {0, 1}, Structs("item", {Ints("item", {1})}))}, kHistory),
      StatusCode::kBadInput, "member \"time\" is missing");
  const std::vector<ArrowNode> more = {Lists<int32_t>(
      "h", {0, 1}, Structs("item", {Ints("item", {1}), Ints("time", {1}), Ints("x", {1})}))};
  EXPECT_REFUSED(Read(more, kHistory), StatusCode::kBadInput, "column \"h.x\": no feature");
  ASSERT_TRUE(Read(more, kHistory, {.ignore_unknown = true}).ok());
  EXPECT_EQ(ignored_, std::vector<std::string>{"h.x"});
}

TEST_F(ArrowInputTest, StructsInStructsOfAList) {
  const std::string nested = R"({"name": "h", "kind": "sequence", "columns": [
      {"name": "item.id"}, {"name": "item.of.brand", "type": "int16"}, {"name": "pos"}]})";
  const auto list = [](std::vector<bool> items, std::vector<bool> ofs) {
    const ArrowNode of =
        Structs("of", {Numbers<int16_t>("brand", "s", {70, 80, 90, 99})}, std::move(ofs));
    const ArrowNode item = Structs("item", {Ints("id", {7, 8, 9, 10}), of}, std::move(items));
    return Lists<int32_t>("h", {0, 1, 1, 3},
                          Slice(Structs("item", {Ints("pos", {0, 1, 2, 3}), item}), 1, 3));
  };
  const std::vector<bool> all(4, true);
  const ArrowNode whole = list(all, all);
  ASSERT_TRUE(Read({whole}, nested).ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 0), "[8] [] [9 10]");
  EXPECT_EQ(RowsOf(*batch_, "h", 1), "[80] [] [90 99]");
  EXPECT_EQ(RowsOf(*batch_, "h", 2), "[1] [] [2 3]");
  EXPECT_EQ(
      Read({whole}, R"({"name": "h", "kind": "sequence", "columns": [{"name": "item"}]})").code(),
      StatusCode::kBadInput);
  EXPECT_REFUSED(Read({whole}, R"({"name": "h", "kind": "sequence", "columns": [
      {"name": "item.id"}, {"name": "pos"}]})"),
                 StatusCode::kBadInput, "column \"h.item.of.brand\": no feature");
  // A null at each level, refused or filled.
  const std::vector<bool> third = {true, true, false, true};
  ArrowInputOptions fill;
  fill.null_entries = NullEntries::kFill;
  for (const ArrowNode& gap : {list(third, all), list(all, third)}) {
    EXPECT_REFUSED(Read({gap}, nested), StatusCode::kBadInput, "row 2: entry 0 is null");
    ASSERT_TRUE(Read({gap}, nested, fill).ok());
    EXPECT_EQ(RowsOf(*batch_, "h", 1), "[80] [] [0 99]");
    EXPECT_EQ(RowsOf(*batch_, "h", 2), "[1] [] [2 3]");
  }
  ASSERT_TRUE(Read({list(all, third)}, nested, fill).ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 0), "[8] [] [9 10]");
}

TEST_F(ArrowInputTest, SequencesAsColumnsBesideEachOther) {
  const auto read = [&](ArrowNode items, ArrowNode times) {
    return Read({std::move(items), std::move(times)}, kHistory);
  };
  const ArrowNode items =
      Lists<int32_t>("h.item", {0, 1, 1, 3}, Ints("item", {1, 2, 3}), {true, false, true});
  ASSERT_TRUE(
      read(items, Lists<int64_t>("h.time", {5, 6, 6, 8}, Ints("item", {0, 0, 0, 0, 0, 10, 20, 30}),
                                 {true, false, true}))
          .ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 0), "[1] - [2 3]");
  EXPECT_EQ(RowsOf(*batch_, "h", 1), "[10] - [20 30]");
  // Entries of rows that are null stand in one of them only.
  ASSERT_TRUE(read(items, Lists<int32_t>("h.time", {0, 1, 3, 5}, Ints("item", {10, 0, 0, 20, 30}),
                                         {true, false, true}))
                  .ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 0), "[1] - [2 3]");
  EXPECT_EQ(RowsOf(*batch_, "h", 1), "[10] - [20 30]");
  // In a struct.
  ArrowNode inner = items;
  inner.name = "item";
  ASSERT_TRUE(
      Read({Structs("h", {inner, Lists<int32_t>("time", {0, 1, 1, 3}, Ints("item", {10, 20, 30}),
                                                {true, false, true})})},
           kHistory)
          .ok());
  EXPECT_EQ(RowsOf(*batch_, "h", 1), "[10] - [20 30]");

  EXPECT_REFUSED(read(items, Lists<int32_t>("h.time", {0, 1, 1, 2}, Ints("item", {10, 20}),
                                            {true, false, true})),
                 StatusCode::kBadInput,
                 "column \"h.time\", row 2: found 1 entries, expected the 2 of column \"h.item\"");
  EXPECT_REFUSED(read(items, Lists<int32_t>("h.time", {0, 1, 1, 3}, Ints("item", {10, 20, 30}))),
                 StatusCode::kBadInput,
                 "column \"h.time\", row 1: a list here and null in column \"h.item\"");
  EXPECT_REFUSED(Read({items}, kHistory), StatusCode::kBadInput,
                 "feature \"h\": column \"h.time\" is missing");
}

TEST_F(ArrowInputTest, WeightedInBothForms) {
  const std::string topics = R"({"name": "t", "kind": "weighted", "type": "int64"})";
  const ArrowNode weights = Numbers<float>("weights", "f", {0.5F, 1});
  ASSERT_TRUE(
      Read({Lists<int32_t>("t", {0, 2}, Structs("item", {Ints("ids", {7, 8}), weights}))}, topics)
          .ok());
  EXPECT_EQ(RowsOf(*batch_, "t", 0), "[7 8]");
  EXPECT_EQ(RowsOf(*batch_, "t", 1), "[0.5 1.]");
  ASSERT_TRUE(Read({Lists<int32_t>("t.ids", {0, 2}, Ints("item", {7, 8})),
                    Lists<int32_t>("t.weights", {0, 2}, weights)},
                   topics)
                  .ok());
  EXPECT_EQ(RowsOf(*batch_, "t", 0), "[7 8]");
  EXPECT_EQ(RowsOf(*batch_, "t", 1), "[0.5 1.]");
}

// Keys are the first column and values the second, whatever they are called.
TEST_F(ArrowInputTest, Maps) {
  const auto map = [](ArrowNode keys) {
    return Map("t", {0, 2, 2, 3}, std::move(keys), Numbers<float>("score", "f", {0.5F, 2, 1}),
               {true, true, false});
  };
  const std::string topics = R"({"name": "t", "kind": "weighted", "hashed": true})";
  ASSERT_TRUE(Read({map(Ints("topic", {7, 8, 9}))}, topics).ok());
  EXPECT_EQ(RowsOf(*batch_, "t", 0), "[7 8] [] -");
  EXPECT_EQ(RowsOf(*batch_, "t", 1), "[0.5 2.] [] -");
  ASSERT_TRUE(Read({map(Strings<int32_t>("topic", "u", {"a", "b", "c"}))}, topics).ok());
  EXPECT_EQ(RowsOf(*batch_, "t", 0), "[" + std::to_string(IdOfText("a", Type::kInt64)) + " " +
                                         std::to_string(IdOfText("b", Type::kInt64)) + "] [] -");
  const Status half =
      Read({Map("t", {0, 1}, Ints("k", {1}), Numbers<float>("v", "f", {kNone}))}, topics);
  EXPECT_NE(half.message().find("null"), std::string::npos) << half.ToString();
  const Status three =
      Read({map(Ints("topic", {7, 8, 9}))},
           R"({"name": "t", "kind": "sequence", "columns": [{"name": "a"}, {"name": "b"},
              {"name": "c"}]})");
  EXPECT_NE(three.message().find("member \"a\" is missing"), std::string::npos) << three.ToString();
}

}  // namespace
}  // namespace dsi::arrow_input_test
