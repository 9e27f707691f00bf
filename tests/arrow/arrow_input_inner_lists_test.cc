// Lists of lists in Arrow: the entries of all inner lists in one feature, their lengths in another.
#include "dsi/tests/arrow/arrow_input_fixture.h"

namespace dsi::arrow_input_test {
namespace {

constexpr auto kNone = std::nullopt;
constexpr char kList[] = R"({"name": "a", "kind": "list"},
    {"name": "a_lengths", "kind": "list", "type": "int32"})";
constexpr char kMember[] = R"({"name": "h", "kind": "sequence", "columns": [
    {"name": "i", "type": "int64"}, {"name": "t_lengths", "type": "int64"}]},
    {"name": "h.t", "kind": "list", "type": "int16", "nested": false})";

class ArrowInputInnerLists : public ArrowInputTest {
 protected:
  // The columns of features, or what is wrong.
  std::string Of(std::vector<ArrowNode> columns, const std::string& schema,
                 const std::vector<std::pair<const char*, size_t>>& shown,
                 NullEntries nulls = NullEntries::kFail) {
    ArrowInputOptions options;
    options.null_entries = nulls;
    const Status status = Read(std::move(columns), schema, options);
    if (!status.ok()) return status.message();
    std::string text;
    for (const auto& [feature, column] : shown)
      text += (text.empty() ? "" : " | ") + RowsOf(*batch_, feature, column);
    return text;
  }
  std::string Both(ArrowNode column, NullEntries nulls = NullEntries::kFail) {
    return Of({std::move(column)}, kList, {{"a", 0}, {"a_lengths", 0}}, nulls);
  }
  std::string Members(std::vector<ArrowNode> columns, NullEntries nulls = NullEntries::kFail) {
    return Of(std::move(columns), kMember, {{"h", 0}, {"h", 1}, {"h.t", 0}}, nulls);
  }
};

ArrowNode Items() { return Numbers<int64_t>("item", "l", {1, 2, 3, 4, 5}); }

// Rows: [[1 2] []], null (with an entry all the same), [], [[4] [5]].
ArrowNode Some(ArrowNode inner) {
  return Lists<int32_t>("a", {0, 2, 3, 3, 5}, std::move(inner), {true, false, true, true});
}

TEST_F(ArrowInputInnerLists, EntriesAndLengths) {
  const std::string expected = "[1 2] - [] [4 5] | [2 0] - [] [1 1]";
  EXPECT_EQ(Both(Some(Lists<int32_t>("item", {0, 2, 2, 3, 4, 5}, Items()))), expected);
  EXPECT_EQ(Both(Some(Lists<int64_t>("item", {0, 2, 2, 3, 4, 5}, Items()))), expected);
  EXPECT_EQ(Both(Lists<int64_t>("a", {0, 1, 1, 2}, FixedLists("item", 2, Slice(Items(), 1, 4)))),
            "[2 3] [] [4 5] | [2] [] [2]");
  EXPECT_EQ(Both(FixedLists("a", 2, Lists<int32_t>("item", {0, 2, 2, 3, 5}, Items()))),
            "[1 2] [3 4 5] | [2 0] [1 2]");
  EXPECT_EQ(Both(Slice(Some(Lists<int32_t>("item", {0, 2, 2, 3, 4, 5}, Items())), 2, 2)),
            "[] [4 5] | [] [1 1]");
  EXPECT_EQ(Both(Dictionary(Numbers<int8_t>("a", "c", {3, 0, kNone}),
                            Some(Lists<int32_t>("item", {0, 2, 2, 3, 4, 5}, Items())))),
            "[4 5] [1 2] - | [1 1] [2 0] -");
  EXPECT_EQ(Both(Some(Lists<int32_t>("item", {0, 0, 0, 0, 0, 0}, Nulls("item", 0)))),
            "[] - [] [] | [0 0] - [] [0 0]");
}

TEST_F(ArrowInputInnerLists, Members) {
  const std::vector<int32_t> rows = {0, 2, 2, 3};
  const ArrowNode ints = Numbers<int64_t>("i", "l", {7, 8, 9});
  const ArrowNode lists = Lists<int32_t>("t", {0, 1, 1, 3}, Items());
  const std::string expected = "[7 8] [] [9] | [1 0] [] [2] | [1] [] [2 3]";
  EXPECT_EQ(Members({Lists<int32_t>("h", rows, Structs("item", {ints, lists}))}), expected);
  EXPECT_EQ(Members({Lists<int32_t>("h", rows, Structs("item", {lists, ints}))}), expected);
  // A column for each.
  ArrowNode outer = Lists<int32_t>("h.t", rows, lists);
  EXPECT_EQ(Members({outer, Lists<int32_t>("h.i", rows, ints)}), expected);
  // As it stands in a file.
  EXPECT_EQ(
      Members(
          {Lists<int32_t>("h.t", {0, 1, 1, 3}, Items()), Lists<int32_t>("h.i", rows, ints),
           Lists<int64_t>("h.t_lengths", {0, 2, 2, 3}, Numbers<int8_t>("item", "c", {1, 0, 2}))}),
      expected);
  // Entries without the lists, and lists of values without lengths.
  EXPECT_NE(Members({Lists<int32_t>("h", rows, Structs("item", {ints}))})
                .find("member \"t_lengths\" is missing"),
            std::string::npos);
  EXPECT_NE(Members({Lists<int32_t>("h.t", {0, 1}, Items())})
                .find("expected one of lists, or \"h.t_lengths\" too"),
            std::string::npos);
  EXPECT_NE(Both(Lists<int32_t>("a", {0, 1}, Items())).find("or \"a_lengths\" too"),
            std::string::npos);
  EXPECT_NE(Of({Lists<int32_t>("a", {0, 1}, Lists<int32_t>("item", {0, 1}, Items())),
                Lists<int32_t>("a_lengths", {0, 1}, Items())},
               kList, {})
                .find("found lists of lists, and their lengths in \"a_lengths\""),
            std::string::npos);
  EXPECT_EQ(Of({Lists<int32_t>("a", {0, 0}, Nulls("item", 0)),
                Lists<int32_t>("a_lengths", {0, 1}, Numbers<int64_t>("item", "l", {0}))},
               kList, {{"a", 0}, {"a_lengths", 0}}),
            "[] | [0]");
}

TEST_F(ArrowInputInnerLists, Nulls) {
  // [[1 null] null], [[null]]
  ArrowNode inner =
      Lists<int32_t>("item", {0, 2, 3, 4}, Numbers<int64_t>("item", "l", {1, kNone, 9, kNone}),
                     {true, false, true});
  const ArrowNode lists = Lists<int32_t>("a", {0, 2, 3}, inner);
  EXPECT_NE(Both(lists).find("row 0: null in a list, expected a list"), std::string::npos);
  EXPECT_EQ(Both(lists, NullEntries::kDrop), "[1] [] | [1] [0]");
  EXPECT_EQ(Both(lists, NullEntries::kFill), "[1 0] [0] | [2 0] [1]");
  inner.buffers[0] = kNone;
  EXPECT_NE(Both(Lists<int32_t>("a", {0, 2, 3}, inner)).find("row 0: entry 1 is null"),
            std::string::npos);
  // Nothing but nulls, as tables have where no list has an entry.
  EXPECT_EQ(Both(Lists<int32_t>("a", {0, 0, 0}, Nulls("item", 0))), "[] [] | [] []");
  const ArrowNode nulls = Lists<int32_t>("a", {0, 2, 2}, Nulls("item", 2));
  EXPECT_NE(Both(nulls).find("row 0: null in a list"), std::string::npos);
  EXPECT_EQ(Both(nulls, NullEntries::kDrop), "[] [] | [] []");
  EXPECT_EQ(Both(nulls, NullEntries::kFill), "[] [] | [0 0] []");
  // A struct that is null, and a member that is.
  const auto members = [](std::vector<bool> structs, std::vector<bool> tags) {
    return Lists<int32_t>("h", {0, 2},
                          Structs("item",
                                  {Numbers<int64_t>("i", "l", {7, 8}),
                                   Lists<int32_t>("t", {0, 1, 3}, Items(), std::move(tags))},
                                  std::move(structs)));
  };
  const ArrowNode gone = members({false, true}, {true, true});
  const ArrowNode lacks = members({true, true}, {false, true});
  EXPECT_NE(Members({gone}).find("row 0"), std::string::npos);
  EXPECT_EQ(Members({gone}, NullEntries::kDrop), "[8] | [2] | [2 3]");
  EXPECT_EQ(Members({gone}, NullEntries::kFill), "[0 8] | [0 2] | [2 3]");
  EXPECT_NE(Members({lacks}, NullEntries::kDrop).find("null in a list"), std::string::npos);
  EXPECT_EQ(Members({lacks}, NullEntries::kFill), "[7 8] | [0 2] | [2 3]");
}

TEST_F(ArrowInputInnerLists, LengthsThatCouldHaveLengths) {
  const std::string schema =
      std::string(kList) + R"(, {"name": "a_lengths_lengths", "kind": "list", "type": "int32"})";
  EXPECT_EQ(Of({Some(Lists<int32_t>("item", {0, 2, 2, 3, 4, 5}, Items()))}, schema,
               {{"a", 0}, {"a_lengths", 0}, {"a_lengths_lengths", 0}}),
            "[1 2] - [] [4 5] | [2 0] - [] [1 1] | - - - -");
}

TEST_F(ArrowInputInnerLists, OffsetsThatLie) {
  EXPECT_NE(Both(Some(Lists<int32_t>("item", {0, 2, 1, 3, 4, 5}, Items())))
                .find("column \"a[]\", row 1: a list from 2 to 1"),
            std::string::npos);
  EXPECT_NE(Both(Some(Lists<int32_t>("item", {0, 2, 2, 3, 4, 6}, Items()))).find("of 5 items"),
            std::string::npos);
  EXPECT_NE(Both(Lists<int32_t>("a", {0, 6}, Lists<int32_t>("item", {0, 2, 2, 3, 4, 5}, Items())))
                .find("column \"a\""),
            std::string::npos);
  // Where no row looks, nothing needs to fit.
  EXPECT_EQ(Both(Some(Lists<int32_t>("item", {0, 2, 5, 3, 4, 5}, Items()))),
            "[1 2 3 4 5] - [] [4 5] | [2 3] - [] [1 1]");
}

TEST_F(ArrowInputInnerLists, SchemasOfThem) {
  const auto found = [](ArrowNode column) {
    ArrowTable table({std::move(column)});
    const auto schema = SchemaFromArrow(*table.schema());
    if (!schema.ok()) return schema.status().message();
    std::string text;
    for (const FeatureSpec& feature : schema->features) {
      text += feature.name + (feature.nested ? "" : " flat");
      for (const ColumnSpec& column_spec : feature.columns) {
        text += " " + column_spec.name + ":" + std::string(TypeName(column_spec.type)) +
                (column_spec.hashed ? ":hashed" : "");
      }
      text += "; ";
    }
    return text;
  };
  EXPECT_EQ(found(Lists<int32_t>("u.a", {0}, Lists<int64_t>("item", {0}, Items()))),
            "u.a :int64; u.a_lengths :int32; ");
  EXPECT_EQ(found(Lists<int32_t>("a", {0}, FixedLists("item", 2, Strings<int32_t>("i", "u", {})))),
            "a :int64:hashed; a_lengths :int32; ");
  EXPECT_EQ(found(Lists<int32_t>(
                "h", {0},
                Structs("item", {Numbers<int64_t>("i", "l", {}),
                                 Lists<int32_t>("t", {0}, Numbers<float>("item", "f", {}))}))),
            "h i:int64 t_lengths:int32; h.t flat :float32; ");
  EXPECT_NE(found(Lists<int32_t>("a", {0},
                                 Lists<int32_t>("item", {0}, Lists<int32_t>("item", {0}, Items()))))
                .find("column \"a\": a list of list<int64>"),
            std::string::npos);
  EXPECT_NE(found(Lists<int32_t>("a", {0}, Lists<int32_t>("item", {0}, Nulls("item", 0))))
                .find("found no columns with values"),
            std::string::npos);
}

}  // namespace
}  // namespace dsi::arrow_input_test
