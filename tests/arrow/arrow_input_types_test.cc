// Columns that are no lists: every type, nulls, slices, dictionaries, structs, conversions.
#include "dsi/tests/arrow/arrow_input_fixture.h"

namespace dsi::arrow_input_test {
namespace {

constexpr auto kNone = std::nullopt;

TEST_F(ArrowInputTest, NumbersOfEachTypeComeAsTheyAre) {
  EXPECT_EQ(
      Rows(Numbers<int8_t>("a", "c", {-128, kNone, 127}), R"("kind": "dense", "type": "int8")"),
      "-128 - 127");
  EXPECT_EQ(Rows(Numbers<uint8_t>("a", "C", {0, 255}), R"("kind": "dense", "type": "uint8")"),
            "0 255");
  EXPECT_EQ(Rows(Numbers<int16_t>("a", "s", {-300, 300}), R"("kind": "label", "type": "int16")"),
            "-300 300");
  EXPECT_EQ(Rows(Numbers<uint16_t>("a", "S", {60000}), R"("kind": "dense", "type": "uint16")"),
            "60000");
  EXPECT_EQ(Rows(Numbers<int32_t>("a", "i", {-70000}), R"("kind": "key", "type": "int32")"),
            "-70000");
  EXPECT_EQ(
      Rows(Numbers<uint32_t>("a", "I", {4000000000U}), R"("kind": "dense", "type": "uint32")"),
      "4000000000");
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "l", {INT64_MIN, INT64_MAX}),
                 R"("kind": "dense", "type": "int64")"),
            "-9223372036854775808 9223372036854775807");
  EXPECT_EQ(Rows(Numbers<uint64_t>("a", "L", {UINT64_MAX}), R"("kind": "key", "type": "uint64")"),
            "18446744073709551615");
  EXPECT_EQ(Rows(Numbers<float>("a", "f", {0.5F, kNone}), R"("kind": "dense", "type": "float32")"),
            "0.5 -");
  EXPECT_EQ(Rows(Numbers<double>("a", "g", {0.25}), R"("kind": "dense", "type": "float64")"),
            "0.25");
  EXPECT_EQ(Rows(Bools("a", {true, false, kNone, true}), R"("kind": "dense", "type": "bool")"),
            "1 0 - 1");
}

TEST_F(ArrowInputTest, HalvesBecomeFloats) {
  // 1, -2, the greatest, the least, infinity, minus zero.
  const ArrowNode halves =
      Numbers<uint16_t>("a", "e", {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x7C00, 0x8000});
  EXPECT_EQ(Rows(halves, R"("kind": "dense", "type": "float32")"), "1. -2. 65504. 0. inf -0.");
  const ArrowNode least = Numbers<uint16_t>("a", "e", {0x0001, 0x03FF, 0x0400});
  ASSERT_TRUE(Read({least}, R"({"name": "a", "kind": "dense", "type": "float64"})").ok());
  double values[3];
  ASSERT_EQ(batch_->feature(0).values[0].size(), sizeof(values));
  std::memcpy(values, batch_->feature(0).values[0].data(), sizeof(values));
  EXPECT_EQ(values[0], 0x1p-24);
  EXPECT_EQ(values[1], 1023 * 0x1p-24);
  EXPECT_EQ(values[2], 0x1p-14);
}

// As their text would be read.
TEST_F(ArrowInputTest, DecimalsAreTheNearestFloats) {
  const std::string doubles = R"("kind": "dense", "type": "float64")";
  const auto value_of = [&](__int128 whole, const std::string& format) {
    ArrowTable table({Decimals("a", format, {whole})});
    EXPECT_TRUE(Read(table, R"({"name": "a", )" + doubles + "}").ok());
    double value = 0;
    std::memcpy(&value, batch_->feature(0).values[0].data(), sizeof(value));
    return value;
  };
  EXPECT_EQ(value_of(1299, "d:9,2"), 12.99);
  EXPECT_EQ(value_of(-1, "d:1,1,128"), -0.1);
  EXPECT_EQ(value_of(999'999'999'999'999, "d:15,15"), 0.999999999999999);
  EXPECT_EQ(value_of(-123'456'789'012'345, "d:15,7"), -12345678.9012345);
  EXPECT_EQ(value_of(7, "d:18,0"), 7.0);
  EXPECT_EQ(Rows(Decimals("a", "d:4,2", {150, std::nullopt, -25}),
                 R"("kind": "dense", "type": "float32")"),
            "1.5 - -0.25");
  EXPECT_EQ(Rows(Slice(Decimals("a", "d:18,0", {1, 999'999'999'999'999'999, -5}), 1, 2),
                 R"("kind": "dense", "type": "int64")"),
            "999999999999999999 -5");
  EXPECT_EQ(
      Rows(Dictionary(Numbers<int8_t>("a", "c", {1, kNone, 0}), Decimals("", "d:9,2", {50, 75})),
           doubles),
      "0.75 - 0.5");
  EXPECT_EQ(Rows(Lists<int32_t>("a", {1, 2, 4}, Decimals("item", "d:9,2", {1, 50, 75, 100})),
                 R"("kind": "list", "type": "float64")"),
            "[0.5] [0.75 1.]");
  // More digits than the type has.
  EXPECT_EQ(Rows(Decimals("a", "d:3,1", {999, 1000}), doubles),
            "bad input: column \"a\", row 1: a decimal of more than 3 digits");
  EXPECT_EQ(Rows(Decimals("a", "d:3,1", {INT64_MIN}), doubles),
            "bad input: column \"a\", row 0: a decimal of more than 3 digits");
  EXPECT_EQ(Rows(Decimals("a", "d:3,1", {150, 155}), R"("kind": "dense", "type": "int64")"),
            "out of range: column \"a\", row 1: found 15.5, expected a value that fits type int64");
}

// NUMBER(38, 0), HUGEINT, NUMERIC: the type has more digits than the values.
TEST_F(ArrowInputTest, DecimalsOfLongTypesFitByTheirValues) {
  const std::string doubles = R"("kind": "dense", "type": "float64")";
  const std::string ints = R"("kind": "key", "type": "int64")";
  const auto power = [](int exponent) {
    __int128 of = 1;
    for (; exponent > 0; --exponent) of *= 10;
    return of;
  };
  EXPECT_EQ(Rows(Decimals("a", "d:38,0", {INT64_MAX, std::nullopt, INT64_MIN}), ints),
            "9223372036854775807 - -9223372036854775808");
  const __int128 beyond = __int128{INT64_MAX} + 1;
  EXPECT_EQ(
      Rows(Decimals("a", "d:38,0", {1, beyond}), ints),
      "out of range: column \"a\", row 1: found 9223372036854775808, expected a value that fits "
      "type int64");
  EXPECT_EQ(Rows(Decimals("a", "d:38,0", {-beyond - 1}), ints).substr(0, 12), "out of range");
  const std::string whole = R"("kind": "key", "type": "uint64")";
  EXPECT_EQ(Rows(Decimals("a", "d:20,0", {__int128{UINT64_MAX}}), whole), "18446744073709551615");
  EXPECT_EQ(Rows(Decimals("a", "d:20,0", {__int128{UINT64_MAX} + 1}), whole).substr(0, 12),
            "out of range");
  EXPECT_EQ(Rows(Decimals("a", "d:20,0", {-1}), whole).substr(0, 12), "out of range");
  // 12.99, 1e-22, and what has as many digits before the point as a double holds.
  EXPECT_EQ(Rows(Decimals("a", "d:38,18", {1299 * power(16), -5 * power(17)}), doubles),
            "12.99 -0.5");
  EXPECT_EQ(Rows(Decimals("a", "d:38,37", {power(37), 25 * power(35)}), doubles), "1. 0.25");
  ASSERT_TRUE(
      Read({Decimals("a", "d:38,38", {power(16)})}, R"({"name": "a", )" + doubles + "}").ok());
  double least = 0;
  std::memcpy(&least, batch_->feature(0).values[0].data(), sizeof(least));
  EXPECT_EQ(least, 1e-22);
  EXPECT_EQ(Rows(Decimals("a", "d:38,9", {9'007'199'254'740'992 * power(9)}), doubles),
            "9007199254740992.");
  for (const __int128 more : {__int128{9'007'199'254'740'993}, 9'007'199'254'740'993 * power(9)}) {
    const std::string said = Rows(Decimals("a", "d:38,9", {0, more}), doubles);
    EXPECT_NE(said.find("row 1: found 9007199254740993"), std::string::npos) << said;
    EXPECT_NE(said.find("more digits than float64 tells apart"), std::string::npos) << said;
  }
  EXPECT_EQ(Rows(Decimals("a", "d:38,38", {power(15)}), doubles).substr(0, 12), "out of range");
  EXPECT_EQ(Rows(Decimals("a", "d:37,0", {power(37)}), ints),
            "bad input: column \"a\", row 0: a decimal of more than 37 digits");
}

TEST_F(ArrowInputTest, StringsOfEachLayout) {
  const Texts texts = {"ab", kNone, "", "a text of more than twelve bytes"};
  const std::string rows = "ab -  a text of more than twelve bytes";
  for (const char* kind : {R"("kind": "string")", R"("kind": "key", "type": "bytes")"}) {
    EXPECT_EQ(Rows(Strings<int32_t>("a", "u", texts), kind), rows);
    EXPECT_EQ(Rows(Strings<int64_t>("a", "U", texts), kind), rows);
    EXPECT_EQ(Rows(Strings<int32_t>("a", "z", texts), kind), rows);
    EXPECT_EQ(Rows(Strings<int64_t>("a", "Z", texts), kind), rows);
    EXPECT_EQ(Rows(StringViews("a", texts), kind), rows);
  }
  const ArrowNode fixed{.format = "w:3",
                        .name = "a",
                        .length = 2,
                        .buffers = {kNone, std::vector<uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}}};
  EXPECT_EQ(Rows(fixed, R"("kind": "string")"), "abc def");
  const ArrowNode empty{.format = "w:0", .name = "a", .length = 2, .buffers = {kNone, kNone}};
  EXPECT_EQ(Rows(empty, R"("kind": "string")"), " ");
}

TEST_F(ArrowInputTest, ConversionsThatFit) {
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "l", {-1, kNone, 127}, 1000),
                 R"("kind": "dense", "type": "int8")"),
            "-1 - 127");
  EXPECT_EQ(Rows(Numbers<uint64_t>("a", "L", {7}), R"("kind": "dense", "type": "int64")"), "7");
  EXPECT_EQ(Rows(Numbers<int32_t>("a", "i", {16777216}), R"("kind": "dense", "type": "float32")"),
            "16777216.");
  EXPECT_EQ(Rows(Numbers<double>("a", "g", {3.0, -4.0}), R"("kind": "dense", "type": "int16")"),
            "3 -4");
  EXPECT_EQ(Rows(Numbers<double>("a", "g", {0.1}), R"("kind": "dense", "type": "float32")"), "0.1");
  EXPECT_EQ(Rows(Numbers<int8_t>("a", "c", {0, 1}), R"("kind": "label", "type": "bool")"), "0 1");
  EXPECT_EQ(Rows(Bools("a", {true, false}), R"("kind": "label", "type": "float32")"), "1. 0.");
}

TEST_F(ArrowInputTest, ConversionsThatDoNotFitNameColumnRowAndValue) {
  const auto refused = [&](ArrowNode column, const std::string& type, const std::string& part) {
    EXPECT_REFUSED(
        Read({std::move(column)}, R"({"name": "a", "kind": "dense", "type": ")" + type + "\"}"),
        StatusCode::kOutOfRange, part);
    EXPECT_EQ(batch_->num_rows(), 0U);
  };
  refused(Numbers<int64_t>("a", "l", {1, kNone, 128}), "int8",
          "column \"a\", row 2: found 128, expected a value that fits type int8");
  refused(Numbers<int64_t>("a", "l", {-1}), "uint64", "row 0: found -1");
  refused(Numbers<uint64_t>("a", "L", {1ULL << 63}), "int64", "found 9223372036854775808");
  refused(Numbers<int32_t>("a", "i", {16777217}), "float32", "does not hold exactly");
  refused(Numbers<double>("a", "g", {0.5}), "int64", "found 0.5");
  refused(Numbers<double>("a", "g", {1e300}), "float32", "found 1e+300");
  refused(Numbers<int8_t>("a", "c", {2}), "bool", "found 2");
}

TEST_F(ArrowInputTest, TimesInTheUnitOfTheFeature) {
  const std::string in_ms = R"("kind": "timestamp", "unit": "ms")";
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "tss:", {1, kNone, -2}), in_ms), "1000 - -2000");
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "tsm:UTC", {1}), in_ms), "1");
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "tsu:Europe/Paris", {5000, -5000}), in_ms), "5 -5");
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "tsn:", {5000000}), in_ms), "5");
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "tdm", {86400000}), in_ms), "86400000");
  EXPECT_EQ(Rows(Numbers<int32_t>("a", "tdD", {1, -1}), in_ms), "86400000 -86400000");
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "l", {17}), in_ms), "17");
  EXPECT_EQ(Rows(Numbers<int32_t>("a", "i", {17}), in_ms), "17");
  // Without a time in the schema they are numbers.
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "tss:", {9}), R"("kind": "dense", "type": "int64")"), "9");
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "tDs", {9}), R"("kind": "dense", "type": "int64")"), "9");
  EXPECT_EQ(Rows(Numbers<int32_t>("a", "ttm", {9}), R"("kind": "dense", "type": "int32")"), "9");
  EXPECT_EQ(Rows(Numbers<int64_t>("a", "ttn", {9}), R"("kind": "dense", "type": "int64")"), "9");

  const std::string feature = R"({"name": "a", "kind": "timestamp", "unit": "ms"})";
  EXPECT_REFUSED(Read({Numbers<int64_t>("a", "tsu:", {1000, 1001})}, feature, {}),
                 StatusCode::kOutOfRange, "column \"a\", row 1: found time 1001");
  EXPECT_REFUSED(Read({Numbers<int64_t>("a", "tss:", {INT64_MAX / 10})}, feature, {}),
                 StatusCode::kOutOfRange, "row 0");
  EXPECT_REFUSED(Read({Numbers<int64_t>("a", "tDs", {1})}, feature, {}), StatusCode::kBadInput,
                 "found duration, expected a number for kind timestamp");
}

TEST_F(ArrowInputTest, SlicesAtAnyBit) {
  std::vector<std::optional<int64_t>> values;
  std::vector<std::optional<bool>> bools;
  Texts texts;
  for (int i = 0; i < 200; ++i) {
    values.push_back(i % 3 == 0 ? std::optional<int64_t>() : i);
    bools.push_back(i % 5 == 0 ? std::optional<bool>() : i % 2 == 0);
    texts.push_back(i % 7 == 0 ? std::optional<std::string>() : std::to_string(i));
  }
  for (const int64_t offset : {0, 1, 7, 8, 63, 64, 65, 130}) {
    for (const int64_t length : {0, 1, 3, 64, 65, 70}) {
      std::string numbers;
      std::string truths;
      std::string words;
      for (int64_t i = offset; i < offset + length; ++i) {
        const std::string space = i > offset ? " " : "";
        numbers += space + (i % 3 == 0 ? "-" : std::to_string(i));
        truths += space + (i % 5 == 0 ? "-" : i % 2 == 0 ? "1" : "0");
        words += space + (i % 7 == 0 ? "-" : std::to_string(i));
      }
      const auto slice = [&](const ArrowNode& node) { return Slice(node, offset, length); };
      EXPECT_EQ(
          Rows(slice(Numbers<int64_t>("a", "l", values)), R"("kind": "dense", "type": "int64")"),
          numbers);
      EXPECT_EQ(
          Rows(slice(Numbers<int64_t>("a", "l", values)), R"("kind": "dense", "type": "int16")"),
          numbers);
      EXPECT_EQ(Rows(slice(Bools("a", bools)), R"("kind": "dense", "type": "bool")"), truths);
      for (const ArrowNode& node : {Strings<int32_t>("a", "u", texts),
                                    Strings<int64_t>("a", "U", texts), StringViews("a", texts)}) {
        EXPECT_EQ(Rows(slice(node), R"("kind": "string")"), words);
      }
      // The table itself is sliced, over a child that is as well.
      ArrowNode table = Structs("", {Slice(Numbers<int64_t>("a", "l", values), 2, 198)});
      ArrowTable sliced(ArrowTable::Whole::kTable,
                        Slice(table, std::max<int64_t>(offset - 2, 0), offset < 2 ? 0 : length));
      ASSERT_TRUE(Read(sliced, R"({"name": "a", "kind": "dense", "type": "int64"})").ok());
      EXPECT_EQ(RowsOf(*batch_, "a"), offset < 2 ? "" : numbers);
    }
  }
}

TEST_F(ArrowInputTest, DictionariesStandForTheirValues) {
  const auto indices = Numbers<int8_t>("a", "c", {1, kNone, 0, 2}, 99);
  // The index of a null is anything, and a value may be null itself.
  EXPECT_EQ(Rows(Dictionary(indices, Strings<int32_t>("", "u", {"x", "yy", kNone})),
                 R"("kind": "string")"),
            "yy - x -");
  EXPECT_EQ(Rows(Dictionary(indices, StringViews("", {"x", "yy", kNone})), R"("kind": "string")"),
            "yy - x -");
  EXPECT_EQ(Rows(Dictionary(indices, Numbers<int64_t>("", "l", {10, 20, kNone})),
                 R"("kind": "dense", "type": "int64")"),
            "20 - 10 -");
  EXPECT_EQ(Rows(Dictionary(indices, Numbers<double>("", "g", {10, 20, 1e300})),
                 R"("kind": "dense", "type": "float64")")
                .substr(0, 7),
            "20. - 1");
  EXPECT_EQ(Rows(Dictionary(indices, Bools("", {true, false, true})),
                 R"("kind": "dense", "type": "bool")"),
            "0 - 1 1");
  EXPECT_EQ(
      Rows(Dictionary(Numbers<uint64_t>("a", "L", {1}), Numbers<uint16_t>("", "e", {0, 0x3C00})),
           R"("kind": "dense", "type": "float32")"),
      "1.");
  // Slices of both; an entry that does not fit and that nobody uses is no matter.
  EXPECT_EQ(Rows(Slice(Dictionary(Numbers<int32_t>("a", "i", {7, 0, 1, 0}),
                                  Slice(Numbers<int64_t>("", "l", {1000, 3, 4, 1000}), 1, 2)),
                       1, 3),
                 R"("kind": "dense", "type": "int8")"),
            "3 4 3");
  EXPECT_EQ(
      Rows(Dictionary(Numbers<int8_t>("a", "c", {kNone, kNone}), Numbers<int64_t>("", "l", {})),
           R"("kind": "dense", "type": "int64")"),
      "- -");
}

TEST_F(ArrowInputTest, StructsNestAndTheirNullsReachDown) {
  std::vector<ArrowNode> columns;
  columns.push_back(Structs("user",
                            {Structs("home", {Numbers<int32_t>("zip", "i", {1, 2, kNone, 4, 5})},
                                     {true, true, true, false, true}),
                             Strings<int32_t>("name", "u", {"a", "b", "c", "d", "e"})},
                            {true, false, true, true, true}));
  columns.push_back(Numbers<int64_t>("item.id", "l", {7, 8, 9, 10, 11}));
  // A row of the table that is null has nothing.
  ArrowTable table(ArrowTable::Whole::kTable,
                   Structs("", columns, {true, true, true, true, false}));
  ASSERT_TRUE(Read(table, R"({"name": "item.id", "kind": "key", "type": "int64"},
                            {"name": "user.home.zip", "kind": "dense", "type": "int32"},
                            {"name": "user.name", "kind": "string"},
                            {"name": "other", "kind": "dense", "type": "int8"})")
                  .ok());
  EXPECT_EQ(RowsOf(*batch_, "user.home.zip"), "1 - - - -");
  EXPECT_EQ(RowsOf(*batch_, "user.name"), "a - c d -");
  EXPECT_EQ(RowsOf(*batch_, "item.id"), "7 8 9 10 -");
  EXPECT_EQ(RowsOf(*batch_, "other"), "- - - - -");
  EXPECT_EQ(absent_, std::vector<std::string>{"other"});
}

TEST_F(ArrowInputTest, UnknownColumnsAreRefusedOrSkipped) {
  const std::vector<ArrowNode> columns = {Numbers<int32_t>("a", "i", {1}),
                                          Numbers<int32_t>("user.ago", "i", {2}), Nulls("c", 1)};
  const std::string features =
      R"({"name": "a", "kind": "dense", "type": "int32"}, {"name": "user.age", "kind": "dense", "type": "int8"})";
  EXPECT_REFUSED(
      Read(columns, features), StatusCode::kBadInput,
      "column \"user.ago\": no feature of the schema has this name; did you mean \"user.age\"?");
  ASSERT_TRUE(Read(columns, features, {.ignore_unknown = true}).ok());
  EXPECT_EQ(ignored_, std::vector<std::string>{"user.ago"});
  EXPECT_EQ(RowsOf(*batch_, "a"), "1");
  // One of a type that nothing can be made of as well.
  ASSERT_TRUE(Read({Numbers<int32_t>("a", "i", {1}), ArrowNode{.format = "?", .name = "b"}},
                   features, {.ignore_unknown = true})
                  .ok());
}

TEST_F(ArrowInputTest, ColumnsOfNullsAreMissing) {
  EXPECT_EQ(Rows(Nulls("a", 3), R"("kind": "list", "type": "int64")"), "- - -");
}

TEST_F(ArrowInputTest, UnalignedBuffers) {
  ArrowTable table(
      {Numbers<int64_t>("a", "l", {kNone, 5, 6}), Strings<int32_t>("b", "u", {"x", "yz", ""})});
  std::vector<std::vector<uint8_t>> moved;
  for (size_t c = 0; c < 2; ++c) {
    const size_t size = c == 0 ? 24 : 16;
    moved.emplace_back(size + 1);
    std::memcpy(moved.back().data() + 1, table.array(c)->buffers[1], size);
    table.array(c)->buffers[1] = moved.back().data() + 1;
  }
  ASSERT_TRUE(
      Read(table,
           R"({"name": "a", "kind": "dense", "type": "int32"}, {"name": "b", "kind": "string"})")
          .ok());
  EXPECT_EQ(RowsOf(*batch_, "a"), "- 5 6");
  EXPECT_EQ(RowsOf(*batch_, "b"), "x yz ");
}

TEST_F(ArrowInputTest, ScratchIsBounded) {
  std::vector<std::optional<int64_t>> values(100'000, 1);
  EXPECT_REFUSED(
      Read({Numbers<int64_t>("a", "l", values)},
           R"({"name": "a", "kind": "dense", "type": "int8"})", {.memory_bytes = 50'000}),
      StatusCode::kResourceExhausted, "memory");
  EXPECT_EQ(batch_->num_rows(), 0U);
  // What is of the type already takes none.
  EXPECT_TRUE(Read({Numbers<int64_t>("a", "l", values)},
                   R"({"name": "a", "kind": "dense", "type": "int64"})", {.memory_bytes = 1})
                  .ok());
}

}  // namespace
}  // namespace dsi::arrow_input_test
