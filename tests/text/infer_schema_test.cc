#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;

class InferSchemaTest : public test::TextTest {
 protected:
  // "name kind type[ unit]" per feature.
  std::string Infer(const std::string& name, std::string_view text) {
    const Result<Schema> schema = InferSchema(Write(name, text));
    if (!schema.ok()) return schema.status().ToString();
    schema_ = *schema;
    std::string out;
    for (const FeatureSpec& feature : schema->features) {
      out += feature.name + " " + std::string(KindName(feature.kind)) + " " +
             std::string(TypeName(feature.columns[0].type));
      if (feature.columns[0].time_unit != TimeUnit::kNone)
        out.append(1, ' ').append(TimeUnitName(feature.columns[0].time_unit));
      if (!feature.nested) out += " plain";
      out += "\n";
    }
    return out;
  }
  // One feature "x" with these values, row by row.
  std::string InferValues(const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) text += "{\"x\":" + value + "}\n";
    return Infer("v.jsonl", text);
  }

  Schema schema_;
};

TEST_F(InferSchemaTest, FindsTypesInOrderOfAppearance) {
  EXPECT_EQ(Infer("a.jsonl",
                  "{\"b\":1,\"a\":{\"y\":[1,2],\"x\":\"s\"},\"n\":null}\n"
                  "{\"c\":true,\"b\":2.5,\"a\":{\"z\":[]},\"d\":[0.5,1],\"e\":[true],\"k.l\":1}\n"),
            "b dense float64\na.y list int64\na.x string bytes\nc dense bool\na.z list int64\n"
            "d list float64\ne list bool\nk.l dense int64 plain\n");
  EXPECT_TRUE(schema_.cluster_by.empty());
}

TEST_F(InferSchemaTest, NumbersKeepAllBits) {
  EXPECT_EQ(InferValues({"1", "-1"}), "x dense int64\n");
  EXPECT_EQ(InferValues({"1", "18446744073709551615"}), "x dense uint64\n");
  EXPECT_EQ(InferValues({"[1]", "[9223372036854775808]"}), "x list uint64\n");
  EXPECT_EQ(InferValues({"1", "2.5", "9007199254740992"}), "x dense float64\n");
  EXPECT_EQ(InferValues({"1", "\"NaN\""}), "x dense float64\n");
  EXPECT_EQ(InferValues({"\"NaN\"", "\"Infinity\""}), "x string bytes\n");
  EXPECT_EQ(InferValues({"\"NaN\"", "\"other\""}), "x string bytes\n");
  EXPECT_EQ(InferValues({"[]", "[\"NaN\"]"}), "x list float64\n");
  EXPECT_NE(
      InferValues({"-1", "18446744073709551615"}).find("on line 2 and a negative number on line 1"),
      std::string::npos);
  EXPECT_NE(InferValues({"0.5", "9007199254740993"}).find("on line 2 a whole number that float64"),
            std::string::npos);
}

TEST_F(InferSchemaTest, KnowsNamesOfKeysTimesAndLabels) {
  EXPECT_EQ(
      Infer("k.jsonl",
            "{\"user\":{\"user_id\":\"u1\"},\"session_id\":1,\"ts\":1700000000123,\"label\":0,"
            "\"my_request_id\":2,\"item_id\":0.5,\"item_ids\":3,\"watch_time\":30,"
            "\"event_time\":1700000000,\"time\":1700000000123456,\"click_label\":true,"
            "\"timestamp\":1700000000123456789,\"history\":{\"item_id\":[1]}}\n"),
      "user.user_id key bytes\nsession_id key int64\nts timestamp int64 ms\nlabel label int64\n"
      "my_request_id key int64\nitem_id dense float64\nitem_ids dense int64\nwatch_time dense "
      "int64\n"
      "event_time timestamp int64 s\ntime timestamp int64 us\nclick_label label bool\n"
      "timestamp timestamp int64 ns\nhistory.item_id list int64\n");
  EXPECT_EQ(schema_.cluster_by, (std::vector<std::string>{"session_id", "ts"}));
  EXPECT_EQ(Infer("i.jsonl",
                  "{\"video_id\":1,\"deviceId\":\"a\",\"uid\":2,\"id\":3,\"fluid\":4,"
                  "\"shop\":{\"id\":5},\"score_id\":0.5,\"ids\":6,\"tag_id\":[7],"
                  "\"user\":8,\"item\":\"b\",\"num_user\":9}\n"),
            "video_id key int64\ndeviceId key bytes\nuid key int64\nid dense int64\n"
            "fluid dense int64\nshop.id key int64\nscore_id dense float64\nids dense int64\n"
            "tag_id list int64\nuser key int64\nitem key bytes\nnum_user dense int64\n");
  // A unit behind the name; what is not of its size is a duration.
  EXPECT_EQ(Infer("u.jsonl",
                  "{\"time_ms\":1700000000123,\"createdAtUs\":1700000000123456,"
                  "\"ts_s\":1700000000,\"play_time_ms\":1700000000,\"ts_ns\":1700000000,"
                  "\"stats\":1700000000123,\"time_sec\":12}\n"),
            "time_ms timestamp int64 ms\ncreatedAtUs timestamp int64 us\n"
            "ts_s timestamp int64 s\nplay_time_ms dense int64\nts_ns dense int64\n"
            "stats dense int64\ntime_sec dense int64\n");
}

TEST_F(InferSchemaTest, TellsWholeNumbersWhole) {
  InferReport report;
  const std::string path = Write("b.jsonl",
                                 "{\"x\":9223372036854775809,\"y\":18446744073709551615}\n"
                                 "{\"x\":18446744073709551615,\"y\":7}\n");
  ASSERT_TRUE(InferSchema(path, {}, &report).ok());
  ASSERT_EQ(report.features.size(), 2U);
  EXPECT_EQ(report.features[0].least, "9223372036854775809");
  EXPECT_EQ(report.features[0].greatest, "18446744073709551615");
  EXPECT_EQ(report.features[1].least, "7");
  EXPECT_EQ(report.features[1].greatest, "18446744073709551615");
}

TEST_F(InferSchemaTest, RefusesMixtures) {
  EXPECT_EQ(
      InferValues({"1", "\"a\""}),
      "bad input: " + folder_.File("v.jsonl") +
          ": feature \"x\": a string on line 2 and a number on line 1, expected one kind of value");
  EXPECT_NE(InferValues({"true", "1"}).find("a truth value on line 1 and a number on line 2"),
            std::string::npos);
  EXPECT_NE(InferValues({"1", "[1]"}).find("a list on line 2 and a single value on line 1"),
            std::string::npos);
  EXPECT_NE(InferValues({"1", "{\"y\":2}"}).find("\"x.y\" would be nested in feature \"x\""),
            std::string::npos);
  for (const char* bad : {"[[[1]]]", "[null]"}) {
    EXPECT_NE(InferValues({bad}).find(":1: feature \"x\": found"), std::string::npos) << bad;
  }
  EXPECT_NE(Infer("d.jsonl", "{\"x\":1,\"x\":2}").find("stands twice"), std::string::npos);
  EXPECT_NE(Infer("d.jsonl", "{\"x\":1").find(":1:7"), std::string::npos);
  EXPECT_NE(Infer("d.jsonl", "\n\n").find("found no values"), std::string::npos);
  EXPECT_NE(Infer("d.jsonl", "{\"\":1}").find("a name of 0 bytes"), std::string::npos);
}

TEST_F(InferSchemaTest, CsvFallsBackToText) {
  EXPECT_EQ(
      Infer("c.csv",
            "session_id,a,b,c,d,e,f,zip,big,none,x,x.y\n"
            "1,2,1|2,x|y,true,1.5,NaN,007,18446744073709551616,,1,2\n"
            "2,0.5,3,z,false,2,1,123,1,,3,4\n"),
      "session_id key int64\na dense float64\nb list int64\nc string bytes\nd dense bool\n"
      "e dense float64\nf dense float64\nzip string bytes\nbig string bytes\nnone string bytes\n"
      "x dense int64\nx.y dense int64 plain\n");
  EXPECT_EQ(schema_.cluster_by, (std::vector<std::string>{"session_id"}));
  EXPECT_EQ(Infer("c.csv", "a,b\n1,true\nx,5\n"), "a string bytes\nb string bytes\n");
}

TEST_F(InferSchemaTest, ReadsBackWhatItFound) {
  const std::string path = Write("r.jsonl",
                                 "{\"a.b\":1,\"u\":{\"v\":[1,2]},\"s\":\"t\"}\n{\"u\":{\"v\":[],"
                                 "\"w\":-0.0},\"e\":{},\"n\":{\"x\":null}}\n");
  Result<Schema> schema = InferSchema(path);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_TRUE(Read(path, std::make_shared<const Schema>(*std::move(schema))).ok());
  EXPECT_EQ(batch_->num_rows(), 2U);
}

// A name without a letter is one as well, so that what is in it has another name than what is
// beside it.
TEST_F(InferSchemaTest, ObjectsWithoutAName) {
  const std::string path = Write("n.jsonl", "{\"\":{\"id\":7},\"id\":8}\n");
  Result<Schema> schema = InferSchema(path);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  ASSERT_EQ(schema->features.size(), 2U);
  EXPECT_EQ(schema->features[0].name, ".id");
  EXPECT_EQ(schema->features[1].name, "id");
  ASSERT_TRUE(Read(path, std::make_shared<const Schema>(*std::move(schema))).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{7}));
  EXPECT_EQ(Values<int64_t>(1), (std::vector<int64_t>{8}));
}

TEST_F(InferSchemaTest, LooksAtSomeRowsAndCanBeCancelled) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "{\"x\":" + std::to_string(i) + "}\n";
  const std::string path = Write("l.jsonl.zst", test::Zstd(text + "{\"x\":0.5}\n"));
  InferOptions options;
  options.max_rows = 2;
  Result<Schema> schema = InferSchema(path, options);
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema->features[0].columns[0].type, Type::kInt64);
  const std::string plain = Write("l.jsonl", text);
  options.max_rows = 0;
  int calls = 0;
  options.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_EQ(total, text.size());
    EXPECT_LE(done, total);
    return ++calls < 2;
  };
  EXPECT_EQ(InferSchema(plain, options).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace dsi
