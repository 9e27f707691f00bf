#include "dsi/format/schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "dsi/base/json_position_internal.h"

namespace dsi {
namespace {

constexpr char kWholeSchema[] = R"({ "features": [
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "timestamp", "kind": "timestamp", "unit": "ms"},
    {"name": "label", "kind": "label", "type": "int8"},
    {"name": "user.age", "kind": "dense", "type": "float32", "default": 0, "id": 17},
    {"name": "user.clicks", "kind": "list", "type": "int64", "id_space": "item",
     "newest": "first", "max_length": 100},
    {"name": "user.history", "kind": "sequence",
     "columns": [{"name": "item", "type": "int64", "id_space": "item"},
                 {"name": "time", "type": "int32", "hashed": true}]},
    {"name": "user.topics", "kind": "weighted", "type": "int64", "weight_type": "float64",
     "hashed": true},
    {"name": "item.vector", "kind": "embedding", "type": "float32", "length": 64},
    {"name": "a.b", "kind": "string", "nested": false} ],
  "cluster_by": ["session_id", "timestamp"],
  "groups": [ {"name": "user", "owner": "session_id", "features": ["user.age", "user.clicks"]} ],
  "metadata": {"team": "ads", "quote": "\"\\\n\u0001é"} })";

std::string ErrorOf(const std::string& json) {
  const Result<Schema> schema = Schema::FromJson(json);
  if (schema.ok()) return "no error";
  EXPECT_EQ(schema.status().code(), StatusCode::kBadInput) << schema.status().ToString();
  return schema.status().message();
}

std::string WithFeature(const std::string& members) {
  return R"({"features": [{"name": "x", )" + members + "}]}";
}

FeatureSpec Feature(std::string name, Kind kind, Type type) {
  FeatureSpec feature;
  feature.name = std::move(name);
  feature.kind = kind;
  feature.columns = {{"", type, ""}};
  return feature;
}

void ExpectInvalid(const Schema& schema, const std::string& part) {
  const Status status = schema.Validate();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
  EXPECT_NE(status.message().find(part), std::string::npos) << status.ToString();
}

TEST(TypesTest, NamesAndValuesAreInverse) {
  for (int i = 0; i < 256; ++i) {
    Kind kind{};
    Type type{};
    TimeUnit unit{};
    Tuning tuning{};
    const std::string_view kind_name = KindName(static_cast<Kind>(i));
    const std::string_view type_name = TypeName(static_cast<Type>(i));
    const std::string_view unit_name = TimeUnitName(static_cast<TimeUnit>(i));
    const std::string_view tuning_name = TuningName(static_cast<Tuning>(i));
    EXPECT_EQ(!kind_name.empty(), i >= 1 && i <= 9);   // S-010
    EXPECT_EQ(!type_name.empty(), i >= 1 && i <= 12);  // S-011
    EXPECT_EQ(!unit_name.empty(), i <= 4);
    EXPECT_EQ(!tuning_name.empty(), i >= 1 && i <= 3);  // F-053
    EXPECT_EQ(ParseKind(kind_name, &kind), !kind_name.empty());
    EXPECT_EQ(ParseType(type_name, &type), !type_name.empty());
    EXPECT_EQ(ParseTimeUnit(unit_name, &unit), !unit_name.empty());
    EXPECT_EQ(ParseTuning(tuning_name, &tuning), !tuning_name.empty());
    EXPECT_TRUE(kind_name.empty() || static_cast<int>(kind) == i);
    EXPECT_TRUE(type_name.empty() || static_cast<int>(type) == i);
    EXPECT_TRUE(unit_name.empty() || static_cast<int>(unit) == i);
    EXPECT_TRUE(tuning_name.empty() || static_cast<int>(tuning) == i);
  }
  Type type{};
  EXPECT_FALSE(ParseType("flot32", &type));
}

TEST(SchemaTest, ReadsEveryMember) {
  const Result<Schema> schema = Schema::FromJson(kWholeSchema);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  ASSERT_EQ(schema->features.size(), 9U);
  EXPECT_EQ(schema->features[1].columns[0].time_unit, TimeUnit::kMillis);
  EXPECT_EQ(schema->features[1].columns[0].type, Type::kInt64);
  EXPECT_EQ(schema->features[3].id, 17U);
  EXPECT_EQ(schema->features[3].default_bits, 0U);
  EXPECT_TRUE(schema->features[4].newest_first);
  EXPECT_EQ(schema->features[4].max_length, 100U);
  EXPECT_EQ(schema->features[4].columns[0].id_space, "item");
  EXPECT_EQ(schema->features[5].columns[1].type, Type::kInt32);
  EXPECT_EQ(ColumnName(schema->features[5], 1), "user.history.time");
  EXPECT_EQ(ColumnName(schema->features[6], 1), "user.topics.weights");
  EXPECT_EQ(ColumnName(schema->features[7], 0), "item.vector");
  EXPECT_EQ(schema->features[6].columns[1].type, Type::kFloat64);
  EXPECT_EQ(schema->features[7].fixed_length, 64U);
  EXPECT_FALSE(schema->features[8].nested);
  EXPECT_EQ(schema->features[8].columns[0].type, Type::kBytes);
  EXPECT_EQ(schema->metadata.at("quote"), "\"\\\n\x01é");
  EXPECT_EQ(schema->FindFeature("label"), 2);
  EXPECT_EQ(schema->FindFeature("labe"), -1);
}

TEST(SchemaTest, JsonIsStable) {
  const Result<Schema> schema = Schema::FromJson(kWholeSchema);
  ASSERT_TRUE(schema.ok());
  const std::string text = *schema->ToJson();
  const Result<Schema> again = Schema::FromJson(text);
  ASSERT_TRUE(again.ok()) << again.status().ToString() << text;
  EXPECT_EQ(*again->ToJson(), text);
  EXPECT_EQ(again->metadata, schema->metadata);
  EXPECT_EQ(again->features[4].max_length, 100U);
}

TEST(SchemaTest, DefaultsKeepTheirBits) {
  const struct {
    const char* type;
    const char* value;
    uint64_t bits;
  } cases[] = {{"int8", "-128", 0x80},
               {"uint64", "18446744073709551615", ~uint64_t{0}},
               {"int64", "-9223372036854775808", uint64_t{1} << 63},
               {"float32", "-0.0", 0x80000000},
               {"float64", "\"-Infinity\"", 0xfff0000000000000},
               {"float64", "5e-324", 1},
               {"float64", "9007199254740993.0", 0x4340000000000000},
               {"bool", "true", 1},
               {"bool", "0", 0}};
  for (const auto& one : cases) {
    const Result<Schema> schema = Schema::FromJson(WithFeature(
        std::string(R"("kind":"dense","type":")") + one.type + R"(","default":)" + one.value));
    ASSERT_TRUE(schema.ok()) << schema.status().ToString();
    EXPECT_EQ(schema->features[0].default_bits, one.bits) << one.type << one.value;
    EXPECT_EQ(Schema::FromJson(*schema->ToJson())->features[0].default_bits, one.bits);
  }
  for (const char* bad : {R"("type":"int8","default":128)", R"("type":"int8","default":1.5)",
                          R"("type":"uint8","default":-1)", R"("type":"bool","default":2)",
                          R"("type":"float64","default":9007199254740993)",
                          R"("type":"float32","default":1e300)", R"("type":"int8","default":[])",
                          R"("type":"int8","default":"NaN")", R"("type":"int8","default":true)"}) {
    EXPECT_NE(ErrorOf(WithFeature(std::string(R"("kind":"dense",)") + bad)).find("default"),
              std::string::npos)
        << bad;
  }
}

TEST(SchemaTest, ErrorsNameThePlace) {
  const struct {
    std::string json;
    const char* part;
  } cases[] = {
      {"", "ends early"},
      {"[]", "expected an object"},
      {"{\"features\": [\n{]}", "line 2, column 2"},
      {R"({"features": []})", "no features"},
      {R"({"features": {}})", "\"features\": expected an array"},
      {R"({"featurs": []})", "unknown member \"featurs\""},
      {R"({"features": [], "features": []})", "\"features\" stands twice"},
      {R"({"features": [{"kind": "key"}]})", "features[0]: expected a \"name\""},
      {R"({"features": [{"name": "x"}]})", "\"x\": expected a \"kind\""},
      {WithFeature(R"("kind": "sparse")"), "found \"sparse\", expected one of dense"},
      {WithFeature(R"("kind": "dense", "type": "flot32")"), "found \"flot32\""},
      {WithFeature(R"("kind": "dense", "nested": 1)"), "true or false"},
      {WithFeature(R"("kind": "list", "newest": "left")"), "\"newest\""},
      {WithFeature(R"("kind": "list", "max_length": -1)"), "\"max_length\""},
      {WithFeature(R"("kind": "list", "id": -1)"), "\"id\""},
      {WithFeature(R"("kind": "list", "weight_type": "float32")"), "weight_type on kind list"},
      {WithFeature(R"("kind": "list", "columns": [])"), "\"columns\" on kind list"},
      {WithFeature(R"("kind": "sequence")"), "0 columns"},
      {WithFeature(R"("kind": "sequence", "type": "int8", "columns": [{"name":"a"}])"),
       "stand in its columns"},
      {WithFeature(R"("kind": "sequence", "columns": [{"name":"a"},{"name":"a"}])"),
       "\"a\" stands twice"},
      {WithFeature(R"("kind": "sequence", "columns": [{"name":"a","typ":"int8"}])"),
       "columns[0]: unknown member \"typ\""},
      {WithFeature(R"("kind": "timestamp")"), "time unit"},
      {WithFeature(R"("kind": "timestamp", "unit": "h")"),
       "found \"h\", expected one of s, ms, us or ns"},
      {WithFeature(R"("tpye": "int8")"), "unknown member \"tpye\"; did you mean \"type\"?"},
      {WithFeature(R"("kind": "dense", "unit": "ms")"), "time unit on kind dense"},
      {WithFeature(R"("kind": "list", "unit": "ms", "type": "int32")"), "type int32"},
      {WithFeature(R"("kind": "list", "unit": "ms", "hashed": true)"), "hashed, type int64"},
      {WithFeature(R"("kind": "weighted", "unit": "ms")"), "time unit on kind weighted"},
      {WithFeature(R"("kind": "sequence", "unit": "ms", "columns": [{"name": "a"}])"),
       "stand in its columns"},
      {WithFeature(R"("kind": "sequence", "columns": [{"name": "a", "unit": "h"}])"),
       "expected one of s, ms, us or ns"},
      {WithFeature(R"("kind": "embedding")"), "length 0 on kind embedding"},
      {WithFeature(R"("kind": "list", "length": 3)"), "length 3 on kind list"},
      {WithFeature(R"("kind": "dense", "max_length": 3)"), "max_length"},
      {WithFeature(R"("kind": "string", "type": "int8")"), "expected bytes"},
      {WithFeature(R"("kind": "list", "type": "bytes")"), "type bytes on kind list"},
      {WithFeature(R"("kind": "timestamp", "unit": "s", "type": "int32")"), "expected int64"},
      {WithFeature(R"("kind": "weighted", "type": "float32")"), "an integer type and a float"},
      {WithFeature(R"("kind": "weighted", "weight_type": "int8")"), "an integer type and a float"},
      {WithFeature(R"("kind": "dense", "id_space": "item")"), "id_space"},
      {WithFeature(R"("kind": "list", "hashed": 1)"), "\"hashed\": expected true or false"},
      {WithFeature(R"("kind": "list", "type": "int16", "hashed": true)"), "hashed on kind list"},
      {WithFeature(R"("kind": "dense", "hashed": true)"),
       "hashed on kind dense, type float32, expected a list kind"},
      {WithFeature(R"("kind": "key", "hashed": true)"), "hashed on kind key, type int64"},
      {WithFeature(R"("kind": "sequence", "hashed": true, "columns": [{"name":"a"}])"),
       "\"hashed\" and \"unit\" of a sequence stand in its columns"},
      {R"({"features": [{"name": "x", "kind": "key"}, {"name": "x", "kind": "key"}]})",
       "\"x\" stands twice"},
      {R"({"features": [{"name": "x", "kind": "key", "id": 3},
           {"name": "y", "kind": "key", "id": 3}]})",
       "id 3 is another"},
      {R"({"features": [{"name": "x", "kind": "key"}, {"name": "x.y", "kind": "key"}]})",
       "nested in feature \"x\""},
      {R"({"features": [{"name": "x", "kind": "key"}], "cluster_by": ["y"]})",
       "\"y\" is no feature"},
      {R"({"features": [{"name": "x", "kind": "dense"}], "cluster_by": ["x"]})", "expected key"},
      {R"({"features": [{"name": "x", "kind": "key"}], "cluster_by": ["x", "x"]})",
       "cluster_by: \"x\" stands twice"},
      {R"({"features": [{"name": "x", "kind": "key"}, {"name": "t", "kind": "timestamp",
           "unit": "s"}], "cluster_by": ["t", "x"]})",
       "a timestamp only last"},
      {R"({"features": [{"name": "x", "kind": "key"}], 
           "groups": [{"name": "g", "features": ["y"]}]})",
       "group \"g\": \"y\" is no feature"},
      {R"({"features": [{"name": "x", "kind": "key"}], "groups": [{"name": "g", "features": []}]})",
       "has no features"},
      {R"({"features": [{"name": "x", "kind": "key"}], "groups": [{"name": "g", "owner": "z",
           "features": ["x"]}]})",
       "owner \"z\" is no key"},
      {R"({"features": [{"name": "x", "kind": "key"}], "groups": [{"name": "g", "features": ["x"]},
           {"name": "h", "features": ["x"]}]})",
       "is in group \"g\" already"},
      {R"({"features": [{"name": "x", "kind": "key"}], "metadata": {"a": 1}})",
       "metadata: \"a\": expected a string"},
      {R"({"features": [{"name": "", "kind": "key"}]})", "expected a \"name\""},
      {R"({"features": [{"name": "a\u0000b", "kind": "key"}]})", "NUL"},
      {R"({"features": [{"name": ")" + std::string(4096, 'n') + R"(", "kind": "key"}]})",
       "4096 bytes"},
      {"{\"features\": [{\"name\": \"\xff\", \"kind\": \"key\"}]}", "malformed JSON"},
  };
  for (const auto& one : cases) {
    const std::string message = ErrorOf(one.json);
    EXPECT_NE(message.find(one.part), std::string::npos) << one.json << "\n" << message;
  }
}

TEST(SchemaTest, NamesThatOnlyLookNestedStandSideBySide) {
  EXPECT_TRUE(Schema::FromJson(R"({"features": [{"name": "x", "kind": "key"},
      {"name": "x.y", "kind": "key", "nested": false}]})")
                  .ok());
  EXPECT_NE(ErrorOf(R"({"features": [{"name": "x", "kind": "sequence", "columns": [{"name": "y"}]},
      {"name": "x.y", "kind": "key", "nested": false}]})")
                .find("stands twice"),
            std::string::npos);
}

TEST(SchemaTest, ChecksWhatCodeBuilds) {
  Schema schema;
  ExpectInvalid(schema, "no features");
  schema.features = {Feature("x", Kind::kDense, Type::kFloat32)};
  EXPECT_TRUE(schema.Validate().ok());
  schema.features[0].kind = static_cast<Kind>(77);
  ExpectInvalid(schema, "unknown kind 77");
  schema.features[0] = Feature("x", Kind::kDense, static_cast<Type>(99));
  ExpectInvalid(schema, "unknown type 99");
  schema.features[0].columns.clear();
  ExpectInvalid(schema, "0 columns");
  schema.features[0] = Feature("\xc3", Kind::kDense, Type::kInt8);
  ExpectInvalid(schema, "UTF-8");  // S-013
  schema.features[0] = Feature("x", Kind::kDense, Type::kInt8);
  schema.features[0].default_bits = 256;
  ExpectInvalid(schema, "default");
  schema.features[0] = Feature("x", Kind::kWeighted, Type::kInt64);
  schema.features[0].columns.push_back({"w", Type::kFloat32, ""});
  ExpectInvalid(schema, "expected \"ids\" and \"weights\"");
  std::string deep = "a";
  for (int i = 0; i < 64; ++i) deep += ".a";
  schema.features[0] = Feature(deep, Kind::kDense, Type::kInt8);
  ExpectInvalid(schema, "nested deeper");
}

TEST(SchemaTest, ColumnsOfSequencesMayHaveDots) {
  Schema schema;
  FeatureSpec& feature = schema.features.emplace_back();
  feature.name = "h";
  feature.kind = Kind::kSequence;
  feature.columns = {{"item.id", Type::kInt64, ""}, {"item.of.brand", Type::kInt8, ""}};
  EXPECT_TRUE(schema.Validate().ok()) << schema.Validate().ToString();
  feature.columns.push_back({"items", Type::kInt64, ""});
  EXPECT_TRUE(schema.Validate().ok());
  feature.columns.push_back({"item.of", Type::kInt64, ""});
  ExpectInvalid(schema, "column \"item.of.brand\" would be nested in column \"item.of\"");
  feature.columns.back().name = "a";
  for (int i = 0; i < 61; ++i) feature.columns.back().name += ".a";
  EXPECT_TRUE(schema.Validate().ok()) << schema.Validate().ToString();
  feature.name = "h.h";
  ExpectInvalid(schema, "nested deeper");
  // Of another feature, of the same name as a whole.
  feature.name = "h";
  feature.columns.pop_back();
  feature.columns.pop_back();
  schema.features.push_back(schema.features[0]);
  schema.features[1].name = "h.item";
  schema.features[1].nested = false;
  schema.features[1].columns = {{"id", Type::kInt64, ""}};
  ExpectInvalid(schema, "stands twice");
}

TEST(SchemaTest, ManyFeaturesAreReadFast) {
  std::string json = "{\"features\":[";
  for (int i = 0; i < 20000; ++i) {
    json +=
        (i > 0 ? ",{\"name\":\"f" : "{\"name\":\"f") + std::to_string(i) + "\",\"kind\":\"list\"}";
  }
  const Result<Schema> schema = Schema::FromJson(json + "]}");
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema->features.size(), 20000U);
}

TEST(SchemaTest, ReadsFiles) {
  EXPECT_EQ(Schema::FromJsonFile("/nonexistent/s.json").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Schema::FromJsonFile("/").status().code(), StatusCode::kIo);
  const std::string path = testing::TempDir() + "schema_test.json";
  std::ofstream(path) << "\xef\xbb\xbf" << kWholeSchema;
  EXPECT_TRUE(Schema::FromJsonFile(path).ok());
  std::ofstream(path) << "{";
  const Status status = Schema::FromJsonFile(path).status();
  EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
  std::filesystem::remove(path);
}

TEST(JsonPositionTest, FindsTheFirstFault) {
  const struct {
    const char* text;
    size_t offset;
    const char* part;
  } cases[] = {{"{\"a\":1,}", 7, "a name"},
               {"{\"a\" 1}", 5, "':'"},
               {"{\"a\":01}", 5, "leading zeros"},
               {"{\"a\":1.}", 7, "a digit"},
               {"{\"a\":-}", 6, "a digit"},
               {"[1 2]", 3, "',' or ']'"},
               {"{\"a\":1} x", 8, "the end"},
               {"\"\\q\"", 2, "backslash"},
               {"\"\\ud800\"", 3, "high surrogate"},
               {"\"\\udc00\"", 3, "low surrogate"},
               {"\"\t\"", 1, "control"},
               {"\"abc", 0, "never ends"},
               {"[18446744073709551616]", 1, "64 bits"},
               {"[-9223372036854775809]", 1, "64 bits"},
               {"[1e400]", 1, "float64"},
               {"nul", 0, "a value"}};
  for (const auto& one : cases) {
    const internal::JsonFault fault = internal::FindJsonFault(one.text);
    EXPECT_EQ(fault.offset, one.offset) << one.text << " " << fault.message;
    EXPECT_NE(fault.message.find(one.part), std::string::npos) << one.text << fault.message;
  }
  for (const char* sound :
       {" {\"a\" : [ 1 , -0, 2.5e-10, \"\\u00e9\\ud83d\\ude00\", null, true ] } ",
        "[1e-400, 18446744073709551615, -9223372036854775808, {}, []]"}) {
    EXPECT_EQ(internal::FindJsonFault(sound).message, "") << sound;
  }
  EXPECT_NE(internal::FindJsonFault(std::string(100000, '[')).message.find("deeper"),
            std::string::npos);
}

// F-074: what cannot be stored is said before rows are handed in.
TEST(Schema, IdSpacesAreOfOneWidthAndNumbered) {
  const auto list = [](std::string name, Type type, std::string space) {
    FeatureSpec feature;
    feature.name = std::move(name);
    feature.kind = Kind::kList;
    feature.columns = {{.name = "", .type = type, .id_space = std::move(space)}};
    return feature;
  };
  Schema schema;
  schema.features = {list("a", Type::kInt64, "item"), list("b", Type::kUint64, "item")};
  EXPECT_TRUE(schema.Validate().ok()) << schema.Validate().ToString();
  schema.features[1].columns[0].type = Type::kInt32;
  EXPECT_NE(schema.Validate().message().find("ids of 4 bytes, expected the 8 of its other"),
            std::string::npos)
      << schema.Validate().message();
  schema.features[1].columns[0].type = Type::kInt16;
  EXPECT_NE(schema.Validate().message().find("ids of 2 bytes, expected 4 or 8"), std::string::npos)
      << schema.Validate().message();
  schema.features.clear();
  for (int f = 0; f < 0xFFFF; ++f)
    schema.features.push_back(list("f" + std::to_string(f), Type::kInt64, std::to_string(f)));
  EXPECT_TRUE(schema.Validate().ok()) << schema.Validate().ToString();
  schema.features.push_back(list("more", Type::kInt64, "more"));
  EXPECT_NE(schema.Validate().message().find("65536 id spaces, expected at most 65535"),
            std::string::npos)
      << schema.Validate().message();
}

}  // namespace
}  // namespace dsi
