// What can be checked of somebody else's structs is: each test breaks one thing of a sound table.
#include <functional>

#include "dsi/tests/arrow/arrow_input_fixture.h"

namespace dsi::arrow_input_test {
namespace {

constexpr auto kNone = std::nullopt;
const std::string kOne = R"({"name": "a", "kind": "dense", "type": "int64"})";
const std::string kList = R"({"name": "a", "kind": "list", "type": "int64"})";
const std::string kText = R"({"name": "a", "kind": "string"})";

ArrowNode Ints(const std::string& name, const std::vector<std::optional<int64_t>>& values) {
  return Numbers<int64_t>(name, "l", values);
}

class ArrowHostileTest : public ArrowInputTest {
 protected:
  using Break = std::function<void(ArrowTable&)>;

  // Refused with kBadInput, and nothing was added.
  void Refused(ArrowNode column, const std::string& features, const Break& damage,
               const std::string& part) {
    ArrowTable table({std::move(column)});
    ASSERT_TRUE(Read(table, features).ok());
    damage(table);
    batch_.reset();
    EXPECT_REFUSED(Read(table, features), StatusCode::kBadInput, part);
    EXPECT_TRUE(batch_ == nullptr || batch_->num_rows() == 0U);
  }
  void Refused(ArrowNode column, const std::string& features, const std::string& part) {
    EXPECT_REFUSED(Read({std::move(column)}, features), StatusCode::kBadInput, part);
    EXPECT_TRUE(batch_ == nullptr || batch_->num_rows() == 0U);
  }
};

TEST_F(ArrowHostileTest, Schemas) {
  const ArrowNode sound = Ints("a", {1});
  const auto refused = [&](const Break& damage, const std::string& part) {
    Refused(sound, kOne, damage, part);
  };
  refused([](ArrowTable& t) { t.schema()->release = nullptr; }, "released");
  refused([](ArrowTable& t) { t.schema(0)->release = nullptr; }, "released");
  refused([](ArrowTable& t) { t.schema()->children[0] = nullptr; }, "null schema");
  refused([](ArrowTable& t) { t.schema()->children = nullptr; }, "null children");
  refused([](ArrowTable& t) { t.schema()->n_children = -1; }, "-1 children");
  refused([](ArrowTable& t) { t.schema()->n_children = INT64_MAX; }, "children");
  refused([](ArrowTable& t) { t.schema(0)->n_children = 1; },
          "1 children of a field of format \"l\"");
  refused([](ArrowTable& t) { t.schema(0)->format = nullptr; }, "no format");
  refused([](ArrowTable& t) { t.schema(0)->name = nullptr; }, "no name");
  refused([](ArrowTable& t) { t.schema(0)->name = ""; }, "no name");
  refused(
      [](ArrowTable& t) {
        t.schema()->format = "l";
        t.schema()->n_children = 0;
      },
      "found int64, expected a table");
  refused([](ArrowTable& t) { t.schema()->format = "+l"; }, "expected a table");
  // A ring has no end.
  refused(
      [](ArrowTable& t) {
        t.schema(0)->format = "+s";
        t.schema(0)->n_children = 1;
        t.schema(0)->children = t.schema()->children;
      },
      "nested deeper than 64");
  refused([](ArrowTable& t) { t.schema(0)->dictionary = t.schema(0); }, "nested deeper than 64");
  const std::string long_name(size_t{4096}, 'x');
  refused([&](ArrowTable& t) { t.schema(0)->name = long_name.c_str(); }, "a name of more than");
  Refused(
      Lists<int32_t>("a", {0, 1}, sound), kList, [](ArrowTable& t) { t.schema(0)->n_children = 0; },
      "0 children");
  Refused(
      Dictionary(Numbers<int8_t>("a", "c", {0}), sound), kOne,
      [](ArrowTable& t) { t.schema(0)->format = "f"; }, "dictionary indices of format \"f\"");
  Refused(
      Dictionary(Numbers<int8_t>("a", "c", {0}), sound), kOne,
      [](ArrowTable& t) { t.schema(0)->dictionary->dictionary = t.schema(); }, "nested deeper");
  EXPECT_REFUSED(Read({Ints("a", {1}), Ints("a", {1})}, kOne), StatusCode::kBadInput,
                 "column \"a\": stands twice");
}

TEST_F(ArrowHostileTest, FormatsThatAreMalformedOrNotTaken) {
  for (const char* format : {"",    "q",    "ll",    "w:", "w:-1", "w:1x", "w:99999999999",
                             "+w:", "+w:0", "+w:3 ", "ts", "tss",  "tsx:", "tdX",
                             "tt",  "ttx",  "tDss",  "t",  "+",    "+x",   "i "}) {
    Refused(ArrowNode{.format = format, .name = "a"}, kOne, "an unknown format");
  }
  const std::pair<const char*, const char*> advised[] = {
      {"d:39,10", "a decimal of other than 128 bits"},
      {"d:19,10,32", "a decimal"},
      {"d:76,1,256", "a decimal"},
      {"d:9,-2", "a decimal"},
      {"d:2,3", "a decimal"},
      {"d:", "a decimal"},
      {"d:9", "a decimal"},
      {"d:0,0", "a decimal"},
      {"+ud:0,1", "a union"},
      {"+us:0", "a union"},
      {"+r", "run-end encoded"},
      {"tiM", "an interval"}};
  for (const auto& [format, advice] : advised) {
    Refused(ArrowNode{.format = format, .name = "a"}, kOne, advice);
    Refused(ArrowNode{.format = format, .name = "a"}, kList, advice);
    Refused(
        ArrowNode{.format = "+l", .name = "a", .children = {{.format = format, .name = "item"}}},
        kList, advice);
  }
}

TEST_F(ArrowHostileTest, TypesThatCannotBecomeTheFeatures) {
  Refused(Strings<int32_t>("a", "u", {"x"}), kOne,
          "column \"a\": found string, expected a number for kind dense of type int64");
  Refused(Ints("a", {1}), kText, "found int64, expected strings");
  Refused(Ints("a", {1}), kList, "found int64, expected a list of numbers");
  Refused(Lists<int32_t>("a", {0, 1}, Ints("item", {1})), kOne,
          "found list<int64>, expected a number");
  Refused(Lists<int32_t>("a", {0, 1}, Strings<int32_t>("item", "u", {"x"})), kList, "found string");
  Refused(Lists<int32_t>("a", {0, 1}, Lists<int32_t>("item", {0, 1}, Ints("item", {1}))), kList,
          "found list<int64>");
  Refused(Lists<int32_t>("a", {0, 1}, Structs("item", {Ints("x", {1})})), kList, "found struct");
  const ArrowNode twice = Dictionary(Numbers<int8_t>("a", "c", {0}),
                                     Dictionary(Numbers<int8_t>("", "c", {0}), Ints("", {1})));
  Refused(twice, kOne, "found dictionary<dictionary<int64>>");
  Refused(Lists<int32_t>("a", {0, 1}, twice), kList, "found dictionary<dictionary<int64>>");
  Refused(Dictionary(Numbers<int8_t>("a", "c", {0}), Structs("", {Ints("x", {1})})), kOne,
          "found dictionary<struct>");
}

TEST_F(ArrowHostileTest, Arrays) {
  const auto refused = [&](const Break& damage, const std::string& part) {
    Refused(Ints("a", {1, kNone, 3}), kOne, damage, part);
  };
  refused([](ArrowTable& t) { t.array()->release = nullptr; }, "released");
  refused([](ArrowTable& t) { t.array(0)->release = nullptr; }, "released");
  refused([](ArrowTable& t) { t.array()->children[0] = nullptr; }, "a null array");
  refused([](ArrowTable& t) { t.array()->children = nullptr; }, "null children");
  refused([](ArrowTable& t) { t.array()->n_children = 0; }, "0 children");
  refused([](ArrowTable& t) { t.array()->n_children = 2; }, "2 children");
  refused([](ArrowTable& t) { t.array()->length = -1; }, "an array of -1 slots");
  refused([](ArrowTable& t) { t.array()->length = INT64_MAX; }, "slots");
  refused([](ArrowTable& t) { t.array()->offset = -1; }, "at offset -1");
  refused([](ArrowTable& t) { t.array()->offset = INT64_MAX; }, "at offset");
  refused([](ArrowTable& t) { t.array()->offset = 1; },
          "an array of 3 slots, expected 3 more from 1 on");
  refused([](ArrowTable& t) { t.array()->buffers = nullptr; }, "null buffers");
  refused([](ArrowTable& t) { t.array()->n_buffers = 0; }, "0 buffers");
  refused([](ArrowTable& t) { t.array()->null_count = 1; }, "1 nulls without a validity buffer");
  refused([](ArrowTable& t) { t.array(0)->length = 2; }, "an array of 2 slots");
  refused([](ArrowTable& t) { t.array(0)->length = -3; }, "an array of -3 slots");
  refused([](ArrowTable& t) { t.array(0)->offset = INT64_MIN; }, "offset");
  refused([](ArrowTable& t) { t.array(0)->n_buffers = 1; },
          "1 buffers in an array of format \"l\", expected 2");
  refused([](ArrowTable& t) { t.array(0)->n_buffers = 3; }, "3 buffers");
  refused([](ArrowTable& t) { t.array(0)->n_buffers = -1; }, "-1 buffers");
  refused([](ArrowTable& t) { t.array(0)->buffers = nullptr; }, "null buffers");
  refused([](ArrowTable& t) { t.array(0)->buffers[1] = nullptr; }, "a null buffer");
  refused([](ArrowTable& t) { t.array(0)->null_count = -2; }, "-2 nulls");
  refused([](ArrowTable& t) { t.array(0)->null_count = 4; }, "4 nulls in an array of 3 slots");
  refused(
      [](ArrowTable& t) {
        t.array(0)->buffers[0] = nullptr;
        t.array(0)->null_count = 1;
      },
      "without a validity buffer");
  refused([](ArrowTable& t) { t.array(0)->dictionary = t.array(); }, "with a dictionary");
  refused(
      [](ArrowTable& t) {
        t.array(0)->n_children = 1;
        t.array(0)->children = t.array()->children;
      },
      "1 children");
}

TEST_F(ArrowHostileTest, OffsetsOfLists) {
  const auto refused = [&](const std::vector<int32_t>& offsets, const std::string& part) {
    Refused(Lists<int32_t>("a", offsets, Ints("item", {1, 2, 3})), kList, part);
    Refused(Lists<int64_t>("a", {offsets.begin(), offsets.end()}, Ints("item", {1, 2, 3})), kList,
            part);
    // In a dictionary, where they are looked at one by one.
    Refused(Dictionary(Numbers<int8_t>("a", "c", {1, 0}),
                       Lists<int32_t>("", offsets, Ints("item", {1, 2, 3}))),
            kList, "column \"a\"");
    Refused(
        Dictionary(Numbers<int8_t>("a", "c", {1, 0}),
                   Lists<int64_t>("", {offsets.begin(), offsets.end()}, Ints("item", {1, 2, 3}))),
        kList, "column \"a\"");
  };
  refused({0, 2, 4}, "slots, expected 4 more from 0 on");
  refused({0, 2, 1}, "row 1: offset 1 after 2");
  refused({-1, 2, 3}, "offset -1, expected 0 or more");
  refused({4, 4, 5}, "an array of 3 slots");
  refused({INT32_MAX, INT32_MIN, 3}, "offset -2147483648 after 2147483647");
  // Whose difference is 1 in 64 bits.
  Refused(Lists<int64_t>("a", {INT64_MAX, INT64_MIN}, Ints("item", {1})), kList,
          "row 0: offset -9223372036854775808 after 9223372036854775807");
}

TEST_F(ArrowHostileTest, ListsTooLong) {
  EXPECT_REFUSED(Read({Lists<int64_t>("a", {0, 1LL << 40}, Ints("item", {1}))}, kList),
                 StatusCode::kOutOfRange, "column \"a\", row 0: found 1099511627776 entries");
  EXPECT_REFUSED(Read({Lists<int64_t>("a", {0, INT64_MAX, INT64_MIN}, Ints("item", {1}))}, kList),
                 StatusCode::kOutOfRange, "row 0");
  EXPECT_REFUSED(Read({Lists<int64_t>("a", {0, INT64_MIN}, Ints("item", {1}))}, kList),
                 StatusCode::kBadInput, "offset");
}

TEST_F(ArrowHostileTest, ItemsOfLists) {
  const ArrowNode lists = Lists<int32_t>("a", {0, 1, 3}, Ints("item", {1, 2, 3}));
  Refused(
      lists, kList, [](ArrowTable& t) { t.array(0)->buffers[1] = nullptr; }, "a null buffer");
  Refused(
      lists, kList, [](ArrowTable& t) { t.array(0)->children[0]->buffers[1] = nullptr; },
      "a null buffer");
  Refused(
      lists, kList, [](ArrowTable& t) { t.array(0)->children[0]->release = nullptr; }, "released");
  Refused(
      lists, kList, [](ArrowTable& t) { t.array(0)->children[0]->length = 2; },
      "an array of 2 slots");
  const ArrowNode fixed = FixedLists("a", 2, Ints("item", {1, 2, 3, 4}));
  Refused(
      fixed, kList, [](ArrowTable& t) { t.array(0)->children[0]->length = 3; },
      "an array of 3 slots");
  Refused(
      fixed, kList, [](ArrowTable& t) { t.array(0)->offset = 1LL << 48; }, "lists of 2 items");
  Refused(
      fixed, kList, [](ArrowTable& t) { t.array(0)->n_buffers = 2; }, "2 buffers");
}

TEST_F(ArrowHostileTest, Strings) {
  const auto set = [](ArrowTable& t, size_t buffer, size_t at, auto value) {
    std::memcpy(static_cast<char*>(const_cast<void*>(t.array(0)->buffers[buffer])) + at, &value,
                sizeof(value));
  };
  const ArrowNode plain = arrow_input_test::Strings<int32_t>("a", "u", {"ab", "cd"});
  Refused(
      plain, kText, [&](ArrowTable& t) { set(t, 1, 4, int32_t{5}); }, "row 1: offset 4 after 5");
  Refused(
      plain, kText, [&](ArrowTable& t) { set(t, 1, 0, int32_t{-1}); }, "offset -1");
  Refused(
      plain, kText, [](ArrowTable& t) { t.array(0)->buffers[2] = nullptr; }, "a null buffer");
  const ArrowNode shared = Dictionary(Numbers<int8_t>("a", "c", {0, 1}), plain);
  const auto set_shared = [](ArrowTable& t, size_t at, int32_t value) {
    std::memcpy(static_cast<char*>(const_cast<void*>(t.array(0)->dictionary->buffers[1])) + at,
                &value, sizeof(value));
  };
  Refused(
      shared, kText, [&](ArrowTable& t) { set_shared(t, 4, -3); }, "row 0: offset -3 after 0");
  Refused(
      shared, kText, [](ArrowTable& t) { t.array(0)->dictionary->buffers[2] = nullptr; },
      "a null buffer");
  const std::string text = "a text of more than twelve bytes";
  const ArrowNode views = StringViews("a", {text, "short", text});
  const auto view = [&](size_t at, int32_t value) {
    return [&, at, value](ArrowTable& t) { set(t, 1, at, value); };
  };
  Refused(views, kText, view(32, -1), "row 2: a view of -1 bytes");
  Refused(views, kText, view(40, 1), "of buffer 1, expected one of 1 buffers");
  Refused(views, kText, view(40, -1), "of buffer -1");
  Refused(views, kText, view(44, -1), "at -1 of buffer 0");
  Refused(views, kText, view(44, 33), "a view of 32 bytes at 33 of a buffer of 64 bytes");
  Refused(views, kText, view(32, INT32_MAX), "a view of 2147483647 bytes");
  Refused(
      views, kText, [&](ArrowTable& t) { set(t, 3, 0, int64_t{-1}); }, "of a buffer of -1 bytes");
  Refused(
      views, kText, [](ArrowTable& t) { t.array(0)->buffers[2] = nullptr; }, "a null buffer");
  Refused(
      views, kText, [](ArrowTable& t) { t.array(0)->buffers[3] = nullptr; }, "a null buffer");
  Refused(
      views, kText, [](ArrowTable& t) { t.array(0)->n_buffers = 2; }, "2 buffers");
  // Only of rows that are there.
  ArrowTable unused({StringViews("a", {text, kNone})});
  set(unused, 1, 16, int32_t{-7});
  ASSERT_TRUE(Read(unused, kText).ok());
  EXPECT_EQ(RowsOf(*batch_, "a"), text + " -");
}

TEST_F(ArrowHostileTest, IndicesOfDictionaries) {
  const ArrowNode values = Ints("", {1, 2});
  Refused(Dictionary(Numbers<int8_t>("a", "c", {0, 2}), values), kOne,
          "column \"a\", row 1: index 2 into a dictionary of 2 values");
  Refused(Dictionary(Numbers<int8_t>("a", "c", {0, -1}), values), kOne, "index -1");
  Refused(Dictionary(Numbers<uint64_t>("a", "L", {UINT64_MAX}), values), kOne,
          "index 18446744073709551615");
  Refused(Dictionary(Numbers<int16_t>("a", "s", {-1}), values), kOne, "index -1");
  Refused(Dictionary(Numbers<uint16_t>("a", "S", {2}), values), kOne, "index 2");
  Refused(Dictionary(Numbers<int32_t>("a", "i", {INT32_MIN}), values), kOne, "index -2147483648");
  Refused(Dictionary(Numbers<uint32_t>("a", "I", {2}), values), kOne, "index 2");
  Refused(Dictionary(Numbers<int64_t>("a", "l", {INT64_MIN}), values), kOne,
          "index -9223372036854775808");
  Refused(Dictionary(Numbers<uint8_t>("a", "C", {0}), Ints("", {})), kOne,
          "index 0 into a dictionary of 0 values");
  Refused(Lists<int32_t>("a", {0, 2}, Dictionary(Numbers<int8_t>("item", "c", {0, 2}), values)),
          kList, "row 0: index 2");
  const ArrowNode sound = Dictionary(Numbers<int8_t>("a", "c", {0, 1}), values);
  Refused(
      sound, kOne, [](ArrowTable& t) { t.array(0)->dictionary = nullptr; }, "without a dictionary");
  Refused(
      sound, kOne, [](ArrowTable& t) { t.array(0)->dictionary->release = nullptr; }, "released");
  Refused(
      sound, kOne, [](ArrowTable& t) { t.array(0)->dictionary->length = 1; },
      "index 1 into a dictionary of 1 values");
}

// A short dictionary of a long text, and many rows of it: what comes of it is refused, not taken.
TEST_F(ArrowHostileTest, DictionariesThatGrowWithoutEnd) {
  const std::vector<std::optional<int8_t>> zeros(100'000, int8_t{0});
  const ArrowNode texts = arrow_input_test::Strings<int32_t>("", "u", {std::string(1 << 20, 'x')});
  EXPECT_REFUSED(Read({Dictionary(Numbers<int8_t>("a", "c", zeros), texts)}, kText,
                      {.memory_bytes = 64 << 20}),
                 StatusCode::kResourceExhausted, "memory");
  const std::vector<std::optional<int64_t>> many(1 << 17, 1);
  EXPECT_REFUSED(Read({Dictionary(Numbers<int8_t>("a", "c", zeros),
                                  Lists<int32_t>("", {0, 1 << 17}, Ints("item", many)))},
                      kList, {.memory_bytes = 64 << 20}),
                 StatusCode::kResourceExhausted, "memory");
}

TEST_F(ArrowHostileTest, TablesWithoutRowsNeedNoBuffers) {
  std::vector<ArrowNode> columns = {Ints("a", {}), Lists<int32_t>("b", {0}, Ints("item", {})),
                                    arrow_input_test::Strings<int32_t>("c", "u", {})};
  for (ArrowNode& column : columns) column.buffers.assign(column.buffers.size(), kNone);
  ASSERT_TRUE(
      Read(
          columns,
          kOne +
              R"(, {"name": "b", "kind": "list", "type": "int64"}, {"name": "c", "kind": "string"})")
          .ok());
  EXPECT_EQ(batch_->num_rows(), 0U);
}

TEST_F(ArrowHostileTest, OtherSchemaObjects) {
  ArrowTable table({Ints("a", {1})});
  const auto schema = SchemaOf(kOne);
  const auto input = ArrowInput::Create(*table.schema(), schema);
  ASSERT_TRUE(input.ok());
  RowBatch other(SchemaOf(kOne));
  EXPECT_REFUSED((*input)->Append(*table.array(), &other), StatusCode::kInvalidArgument,
                 "another schema object");
  EXPECT_REFUSED((*input)->Append(*table.array(), static_cast<RowBatch*>(nullptr)),
                 StatusCode::kInvalidArgument, "no batch");
  EXPECT_REFUSED((*input)->Append(*table.array(), static_cast<Writer*>(nullptr)),
                 StatusCode::kInvalidArgument, "no writer");
  EXPECT_REFUSED(ArrowInput::Create(*table.schema(), nullptr).status(),
                 StatusCode::kInvalidArgument, "no schema");
  EXPECT_REFUSED(ArrowInput::Create(*table.schema(), std::make_shared<const Schema>()).status(),
                 StatusCode::kInvalidArgument, "no features");
  RowBatch batch(schema);
  ASSERT_TRUE((*input)->Append(*table.array(), &batch).ok());
  // Rows are counted over arrays.
  table.array(0)->length = 1;
  const int64_t none = 0;
  table.array(0)->buffers[0] = &none;
  ASSERT_TRUE((*input)->Append(*table.array(), &batch).ok());
  EXPECT_EQ((*input)->num_rows(), 2U);
  EXPECT_EQ(RowsOf(batch, "a"), "1 -");
  EXPECT_NE(table.array()->release, nullptr);
}

}  // namespace
}  // namespace dsi::arrow_input_test
