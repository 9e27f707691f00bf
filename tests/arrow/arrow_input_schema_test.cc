// The schema that is found for a table.
#include "dsi/tests/arrow/arrow_input_fixture.h"

namespace dsi::arrow_input_test {
namespace {

constexpr auto kNone = std::nullopt;

ArrowNode Ints(const std::string& name, const std::vector<std::optional<int64_t>>& values = {}) {
  return Numbers<int64_t>(name, "l", values);
}

// "name kind type": of each feature, and what else it has.
std::string Found(const Result<Schema>& schema) {
  if (!schema.ok()) return schema.status().ToString();
  std::string text;
  for (const FeatureSpec& feature : schema->features) {
    text += feature.name + " " + std::string(KindName(feature.kind));
    for (const ColumnSpec& column : feature.columns) {
      text += (column.name.empty() ? " " : " " + column.name + ":") +
              std::string(TypeName(column.type));
    }
    if (feature.columns[0].time_unit != TimeUnit::kNone)
      text += " " + std::string(TimeUnitName(feature.columns[0].time_unit));
    if (feature.fixed_length != 0) text += " " + std::to_string(feature.fixed_length);
    if (!feature.nested) text += " plain";
    text += "\n";
  }
  for (const std::string& name : schema->cluster_by) text += "by " + name + "\n";
  return text;
}

std::string FoundOf(std::vector<ArrowNode> columns) {
  ArrowTable table(std::move(columns));
  return Found(SchemaFromArrow(*table.schema()));
}

TEST(SchemaFromArrow, OneFeatureForEachColumn) {
  const ArrowNode floats = Numbers<float>("item", "f", {});
  const auto of = [](const std::string& name, const std::string& format) {
    return ArrowNode{.format = format, .name = name};
  };
  EXPECT_EQ(FoundOf({of("a1", "b"),
                     of("a2", "c"),
                     of("a3", "C"),
                     of("a4", "s"),
                     of("a5", "S"),
                     of("a6", "i"),
                     of("a7", "I"),
                     of("a8", "l"),
                     of("a9", "L"),
                     of("b1", "e"),
                     of("b2", "f"),
                     of("b3", "g"),
                     of("b4", "u"),
                     of("b5", "Z"),
                     of("b8", "d:9,2"),
                     of("b9", "d:18,0"),
                     of("b6", "vu"),
                     of("b7", "w:16"),
                     of("c1", "tsn:UTC"),
                     of("c2", "tdm"),
                     of("c3", "tdD"),
                     of("c4", "ttm"),
                     of("c5", "ttu"),
                     of("c6", "tDs"),
                     Dictionary(of("d1", "c"), of("", "u")),
                     Lists<int32_t>("e1", {0}, Ints("item")),
                     Lists<int64_t>("e2", {0}, of("item", "e")),
                     FixedLists("e3", 4, floats),
                     FixedLists("e4", 4, Ints("item")),
                     Lists<int32_t>("e5", {0}, Dictionary(of("item", "c"), of("", "l")))}),
            "a1 dense bool\na2 dense int8\na3 dense uint8\na4 dense int16\na5 dense uint16\na6 "
            "dense int32\na7 dense uint32\n"
            "a8 dense int64\na9 dense uint64\nb1 dense float32\nb2 dense float32\nb3 dense "
            "float64\nb4 string bytes\n"
            "b5 string bytes\nb8 dense float64\nb9 dense int64\nb6 string bytes\nb7 string "
            "bytes\nc1 timestamp int64 ns\nc2 "
            "timestamp int64 ms\nc3 timestamp int64 s\n"
            "c4 dense int32\nc5 dense int64\nc6 dense int64\nd1 string bytes\ne1 list int64\ne2 "
            "list float32\n"
            "e3 embedding float32 4\ne4 list int64\ne5 list int64\n");
}

TEST(SchemaFromArrow, NamesTellKeysLabelsAndTheOrder) {
  EXPECT_EQ(FoundOf({Ints("userId"), Strings<int32_t>("ctx.session_id", "u", {}),
                     Numbers<int8_t>("label", "c", {}), Ints("event_time"),
                     Numbers<int64_t>("at", "tsm:", {})}),
            "userId key int64\nctx.session_id key bytes\nlabel label int8\nevent_time dense "
            "int64\nat timestamp int64 ms\n"
            "by ctx.session_id\nby at\n");
  // A day orders nothing within a session.
  EXPECT_EQ(FoundOf({Ints("session_id"), Numbers<int32_t>("time", "tdD", {}),
                     Numbers<int64_t>("at", "tsm:", {})}),
            "session_id key int64\ntime timestamp int64 s\nat timestamp int64 ms\n"
            "by session_id\nby at\n");
  EXPECT_EQ(FoundOf({Ints("session_id"), Numbers<int32_t>("time", "tdD", {})}),
            "session_id key int64\ntime timestamp int64 s\nby session_id\n");
}

TEST(SchemaFromArrow, RowsTellTheUnitOfTimes) {
  const auto found = [](int64_t time) {
    ArrowTable table({Ints("session_id", {1, 1}), Ints("event_time", {kNone, time}),
                      Ints("ts", {1, 2}), Ints("other", {1, 1})});
    return Found(SchemaFromArrow(*table.schema(), table.array()));
  };
  const std::string others = "ts timestamp int64 s\nother dense int64\nby session_id\n";
  EXPECT_EQ(found(1'700'000'000),
            "session_id key int64\nevent_time timestamp int64 s\n" + others + "by event_time\n");
  EXPECT_EQ(found(1'700'000'000'000),
            "session_id key int64\nevent_time timestamp int64 ms\n" + others + "by event_time\n");
  // A duration.
  EXPECT_EQ(found(17), "session_id key int64\nevent_time dense int64\n" + others + "by ts\n");
  // No rows, no unit.
  ArrowTable empty({Ints("ts")});
  EXPECT_EQ(Found(SchemaFromArrow(*empty.schema(), empty.array())), "ts dense int64\n");
  ArrowTable broken({Ints("ts", {1})});
  broken.array(0)->length = 0;
  EXPECT_EQ(SchemaFromArrow(*broken.schema(), broken.array()).status().code(),
            StatusCode::kBadInput);
}

TEST(SchemaFromArrow, StructsAreNamesAndListsOfThemSequences) {
  const auto pair = [](const std::string& first, ArrowNode a, const std::string& second,
                       ArrowNode b) {
    a.name = first;
    b.name = second;
    return Lists<int32_t>("x", {0}, Structs("item", {std::move(a), std::move(b)}));
  };
  const ArrowNode floats = Numbers<float>("", "f", {});
  EXPECT_EQ(
      FoundOf(
          {Structs("user", {Ints("age"), Structs("home", {Ints("zip")})}), Ints("b"), Ints("b.c")}),
      "user.age dense int64\nuser.home.zip dense int64\nb dense int64\nb.c dense int64 plain\n");
  EXPECT_EQ(FoundOf({pair("item", Ints(""), "time", Ints(""))}),
            "x sequence item:int64 time:int64\n");
  EXPECT_EQ(FoundOf({pair("ids", Ints(""), "weights", floats)}),
            "x weighted ids:int64 weights:float32\n");
  EXPECT_EQ(FoundOf({pair("ids", floats, "weights", floats)}),
            "x sequence ids:float32 weights:float32\n");
  EXPECT_EQ(FoundOf({Lists<int32_t>("t.ids", {0}, Ints("item")),
                     Lists<int32_t>("t.weights", {0}, floats)}),
            "t.ids list int64\nt.weights list float32\n");
}

TEST(SchemaFromArrow, ColumnsOfNullsAreDropped) {
  ArrowTable table({Ints("a"), Nulls("b", 0), Lists<int32_t>("c", {0}, Nulls("item", 0)),
                    Dictionary(Numbers<int8_t>("d", "c", {}), Nulls("", 0))});
  ArrowSchemaReport report;
  EXPECT_EQ(Found(SchemaFromArrow(*table.schema(), nullptr, &report)), "a dense int64\n");
  EXPECT_EQ(report.dropped, (std::vector<std::string>{"b", "c", "d"}));
  EXPECT_EQ(FoundOf({Nulls("b", 0)}).substr(0, 30), "bad input: found no columns wi");
}

TEST(SchemaFromArrow, MapsAreWeightedOrSequences) {
  const ArrowNode texts = Strings<int32_t>("k", "u", {});
  const ArrowNode floats = Numbers<float>("v", "f", {});
  EXPECT_EQ(FoundOf({Map("a", {0}, Ints("k"), floats), Map("b", {0}, texts, floats),
                     Map("c", {0}, Ints("k"), Ints("v")), Map("d", {0}, floats, floats)}),
            "a weighted ids:int64 weights:float32\nb weighted ids:int64 weights:float32\n"
            "c sequence key:int64 value:int64\nd sequence key:float32 value:float32\n");
}

TEST(SchemaFromArrow, ListsOfStringsAreHashed) {
  const ArrowNode strings = Strings<int32_t>("item", "u", {});
  const auto hashed = [](std::vector<ArrowNode> columns) {
    ArrowTable table(std::move(columns));
    const auto schema = SchemaFromArrow(*table.schema());
    EXPECT_TRUE(schema.ok()) << schema.status().ToString();
    std::string text;
    for (const ColumnSpec& column : schema->features[0].columns)
      text += std::string(TypeName(column.type)) + (column.hashed ? " hashed, " : ", ");
    return text;
  };
  EXPECT_EQ(hashed({Lists<int32_t>("a", {0}, strings)}), "int64 hashed, ");
  EXPECT_EQ(hashed({FixedLists("a", 2, strings)}), "int64 hashed, ");
  EXPECT_EQ(hashed({Lists<int32_t>(
                "a", {0}, Dictionary(Numbers<int8_t>("item", "c", {}), StringViews("", {})))}),
            "int64 hashed, ");
  EXPECT_EQ(hashed({Lists<int32_t>("a", {0},
                                   Structs("item", {Strings<int64_t>("x", "Z", {}), Ints("y")}))}),
            "int64 hashed, int64, ");
  EXPECT_EQ(hashed({Strings<int32_t>("a", "u", {})}), "bytes, ");
}

TEST(SchemaFromArrow, ValuesThatSpeakAgainstTheirKindAreTold) {
  constexpr int64_t kFloat = int64_t{1} << 24;
  const auto told = [](std::vector<ArrowNode> columns) {
    ArrowTable table(std::move(columns));
    ArrowSchemaReport report;
    EXPECT_TRUE(SchemaFromArrow(*table.schema(), table.array(), &report).ok());
    std::string text;
    for (const std::string& name : report.rounded_ids) text += name + " ";
    for (const auto& [name, example] : report.text_times) text += name + "=" + example + " ";
    return text;
  };
  EXPECT_EQ(told({Ints("code", {kFloat + 1, kFloat + 9}), Ints("views", {kFloat + 1, 3}),
                  Ints("video_key", {3, kFloat + 1}), Ints("item_id", {kFloat + 1, kFloat + 2}),
                  Ints("big", {0, (int64_t{1} << 53) + 1}),
                  Numbers<uint64_t>("hash", "L", {UINT64_MAX, 1}),
                  Numbers<uint32_t>("epoch", "I", {1'700'000'000, std::nullopt}),
                  Decimals("number", "d:38,0", {kFloat + 1, std::nullopt})}),
            "code video_key big hash epoch number ");
  EXPECT_EQ(told({Ints("code", {kFloat, kFloat + 1}), Ints("video_key", {0, kFloat})}), "");
  const auto texts = [](const std::string& name, const std::optional<std::string>& first) {
    return Strings<int32_t>(name, "u", {first, "8 Sep 2017"});
  };
  EXPECT_EQ(told({texts("created_at", std::nullopt), texts("date", "noon"), texts("day", "noon"),
                  texts("eventTime", "12:30"), texts("update", "noon")}),
            "created_at=8 Sep 2017 date=8 Sep 2017 eventTime=8 Sep 2017 ");
  EXPECT_EQ(told({texts("date", std::string(37, '1') + "äöü")}),
            "date=" + std::string(37, '1') + "ä… ");
  // Of the first rows alone, whatever stands behind them.
  std::vector<std::optional<int64_t>> many(16'384, kFloat + 1);
  many.push_back(3);
  EXPECT_EQ(told({Numbers<int64_t>("code", "l", many)}), "code ");
  EXPECT_EQ(told({Slice(Numbers<int64_t>("code", "l", many), 1, 16'384)}), "");
  many[16'000] = 3;
  EXPECT_EQ(told({Numbers<int64_t>("code", "l", many)}), "");
  many[16'000] = kFloat + 1;
  many.insert(many.begin(), 3);
  EXPECT_EQ(told({Numbers<int64_t>("code", "l", many)}), "");
  ArrowTable broken({Ints("code", {1})});
  for (const int64_t number : {int64_t{-1}, INT64_MAX}) {
    broken.array()->offset = number;
    EXPECT_EQ(SchemaFromArrow(*broken.schema(), broken.array()).status().code(),
              StatusCode::kBadInput);
  }
  broken.array()->offset = 0;
  broken.array()->length = -1;
  EXPECT_EQ(SchemaFromArrow(*broken.schema(), broken.array()).status().code(),
            StatusCode::kBadInput);
}

TEST(SchemaFromArrow, WhatIsNotTakenIsSaid) {
  const auto refused = [](ArrowNode column, const std::string& part) {
    ArrowTable table({std::move(column)});
    EXPECT_REFUSED(SchemaFromArrow(*table.schema()).status(), StatusCode::kBadInput, part);
  };
  refused({.format = "d:40,2", .name = "price"}, "column \"price\": format \"d:40,2\", a decimal");
  refused(Map("a", {0}, Ints("key"), Lists<int32_t>("value", {0}, Ints("item"))),
          "column \"a.value\": a list of list<int64>");
  ArrowNode three = Map("a", {0}, Ints("key"), Ints("value"));
  three.children[0].children.push_back(Ints("more"));
  refused(three, "column \"a\": a map of struct, expected structs of two members");
  ArrowNode plain = Map("a", {0}, Ints("key"), Ints("value"));
  plain.children[0] = Ints("entries");
  refused(plain, "a map of int64, expected structs");
  refused(Lists<int32_t>("a", {0}, ArrowNode{.format = "+s", .name = "item", .buffers = {kNone}}),
          "without members");
  refused(Lists<int32_t>("a", {0}, ArrowNode{.format = "d:9,2,64", .name = "item"}), "a decimal");
  refused(Dictionary(Numbers<int8_t>("a", "c", {}), Structs("", {Ints("x")})),
          "found dictionary<struct>");
  refused(Lists<int32_t>("a", {0}, Structs("item", {Ints("x.y"), Ints("x")})),
          "column \"x.y\" would be nested in column \"x\"");
  refused(Lists<int32_t>("a", {0}, Structs("item", {Structs("x", {Ints("y")}), Ints("x.y")})),
          "column \"x.y\" stands twice");
  refused(Ints("\xff"), "not valid UTF-8");
}

}  // namespace
}  // namespace dsi::arrow_input_test
