// Sequences and weighted features in JSON as lists of objects, an object for each entry.
#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;
constexpr char kFeatures[] = R"({"name": "u.h", "kind": "sequence", "columns": [
        {"name": "item", "type": "int64"}, {"name": "time", "type": "float32"},
        {"name": "big", "type": "uint64"}, {"name": "tag", "type": "uint32", "hashed": true}]},
    {"name": "u.h.n", "kind": "dense", "type": "int8", "nested": false},
    {"name": "w", "kind": "weighted"})";

class EntriesTest : public test::TextTest {
 protected:
  Status Lines(const std::string& rows, bool ignore_unknown = false) {
    return ReadText("r.jsonl", rows, kFeatures, {.ignore_unknown = ignore_unknown});
  }

  std::string Infer(const std::string& rows) {
    const auto schema = InferSchema(Write("r.jsonl", rows));
    if (!schema.ok()) return schema.status().message();
    std::string text;
    for (const FeatureSpec& feature : schema->features) {
      text += (text.empty() ? "" : "; ") + feature.name + " " + std::string(KindName(feature.kind));
      for (const ColumnSpec& column : feature.columns) {
        text += " " + (column.name.empty() ? "" : column.name + ":") +
                std::string(TypeName(column.type)) + (column.hashed ? ":hashed" : "");
      }
    }
    return text;
  }
};

TEST_F(EntriesTest, AsColumnsWouldBe) {
  const std::string entries =
      R"({"u":{"h":[{"item":5,"time":0.5,"big":18446744073709551615,"tag":"a"},)"
      R"({"tag":"b","time":2,"item":-6,"big":1}]},"w":[{"ids":3,"weights":0.25}]})"
      "\n"
      R"({"u.h":[],"w":[]})"
      "\n"
      R"({"u":{"h":null}})"
      "\n";
  ASSERT_TRUE(Lines(entries).ok());
  EXPECT_EQ(batch_->num_rows(), 3U);
  EXPECT_EQ(Values<int64_t>(0, 0), (std::vector<int64_t>{5, -6}));
  EXPECT_EQ(Values<float>(0, 1), (std::vector<float>{0.5F, 2}));
  EXPECT_EQ(Values<uint64_t>(0, 2), (std::vector<uint64_t>{UINT64_MAX, 1}));
  EXPECT_EQ(Values<uint32_t>(0, 3),
            (std::vector<uint32_t>{static_cast<uint32_t>(IdOfText("a", Type::kUint32)),
                                   static_cast<uint32_t>(IdOfText("b", Type::kUint32))}));
  EXPECT_EQ(batch_->feature(0).lengths, (std::vector<uint32_t>{2, 0}));
  EXPECT_EQ(batch_->feature(0).num_present, 2U);
  EXPECT_EQ(Values<int64_t>(2, 0), (std::vector<int64_t>{3}));
  EXPECT_EQ(batch_->feature(2).lengths, (std::vector<uint32_t>{1, 0}));
  // An object of arrays is what it was, with what else is in it.
  ASSERT_TRUE(Lines(R"({"u":{"h":{"item":[5],"time":[1],"big":[2],"tag":["a"],"n":7}}})").ok());
  EXPECT_EQ(Values<int64_t>(0, 0), (std::vector<int64_t>{5}));
  EXPECT_EQ(Values<int8_t>(1), (std::vector<int8_t>{7}));
}

TEST_F(EntriesTest, WhatIsRefused) {
  const std::string good = R"({"item":5,"time":1,"big":2,"tag":"a"})";
  for (const auto& [list, part] :
       {std::pair(std::string("7"),
                  "feature \"u.h\": found the number 7, expected an array of obj"),
        std::pair("[" + good + ",7]", "feature \"u.h\": entry 1: found the number 7, expected an"),
        std::pair("[" + good + ",null]", "entry 1: found null, expected an object"),
        std::pair("[" + good + R"(,{"item":5,"time":1,"tag":"a"}])",
                  "entry 1 has no \"u.h.big\", expected all 4 columns"),
        std::pair(std::string(R"([{"item":5,"time":null,"big":2,"tag":"a"}])"),
                  "entry 0 has no \"u.h.time\""),
        std::pair(std::string(R"([{"item":5,"item":6,"time":1,"big":2,"tag":"a"}])"),
                  "entry 0: \"u.h.item\" stands twice"),
        std::pair(std::string(R"([{"item":5,"time":1,"big":2,"tag":"a","new":1}])"),
                  "\"u.h.new\" is no feature of the schema"),
        std::pair(std::string(R"([{"item":5,"time":1,"big":2,"tag":"a","n":1}])"),
                  "found \"u.h.n\", which is no column of it"),
        std::pair(std::string(R"([{"item":0.5,"time":1,"big":2,"tag":"a"}])"),
                  "feature \"u.h.item\": entry 0: found the number 0.5"),
        std::pair("[" + good + R"(,{"item":5,"time":1,"big":2,"tag":3}])",
                  "feature \"u.h.tag\": entry 1: found the number 3, expected strings alone")}) {
    const Status status = Lines("{\"u\":{\"h\":" + list + "}}\n");
    EXPECT_EQ(status.code(), kBad) << list;
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
    EXPECT_EQ(batch_->num_rows(), 0U);
    EXPECT_EQ(batch_->size_bytes(), 0U);
  }
  const Status twice = Lines(R"({"w":[{"ids":1,"weights":1}],"w.ids":[1]})");
  EXPECT_NE(twice.message().find("set twice"), std::string::npos) << twice.message();
  // Names that the schema lacks can be skipped; what is null is missing.
  EXPECT_TRUE(Lines(R"({"w":[{"ids":1,"weights":1,"new":[1],"old":null}]})", true).ok());
  EXPECT_EQ(Values<int64_t>(2, 0), (std::vector<int64_t>{1}));
}

TEST_F(EntriesTest, NamesThatMayBeData) {
  const auto maps = [&](int names, int rows, const std::string& value) {
    std::string text;
    for (int i = 0; i < rows; ++i) {
      text += "{\"a\":{\"m\":{\"n" + std::to_string(i % names) + "\":" + value +
              "},\"l\":[1]},\"b\":{\"c\":{\"x\":1}}}\n";
    }
    InferReport report;
    EXPECT_TRUE(InferSchema(Write("r.jsonl", text), {}, &report).ok());
    std::string found;
    for (const NamesAsData& map : report.maps)
      found += map.name + " " + std::to_string(map.names) + " " + std::to_string(map.values) + " ";
    return found;
  };
  EXPECT_EQ(maps(100, 400, "0.5"), "a.m 100 400 ");
  EXPECT_EQ(maps(99, 400, "0.5"), "");
  EXPECT_EQ(maps(100, 400, "\"x\""), "");
  // Each in every twentieth row, and in more.
  std::string text[2];
  for (int i = 0; i < 200; ++i) {
    for (int wide = 0; wide < 2; ++wide) {
      text[wide] += "{\"m\":{";
      for (int j = 0; j < 5 + wide; ++j)
        text[wide] += (j == 0 ? "\"" : ",\"") + std::to_string((5 * i + j) % 100) + "\":1";
      text[wide] += "}}\n";
    }
  }
  for (int wide = 0; wide < 2; ++wide) {
    InferReport report;
    EXPECT_TRUE(InferSchema(Write("r.jsonl", text[wide]), {}, &report).ok());
    EXPECT_EQ(report.maps.size(), wide == 0 ? 1U : 0U);
  }
}

TEST_F(EntriesTest, FoundWithoutASchema) {
  EXPECT_EQ(Infer("{\"k\":1,\"u\":{\"h\":[]}}\n"
                  "{\"u\":{\"h\":[{\"a\":1,\"b\":\"x\"},{\"b\":\"y\",\"a\":0.5}]},\"z\":2}\n"),
            "k dense int64; u.h sequence a:float64 b:int64:hashed; z dense int64");
  EXPECT_EQ(Infer("{\"w\":[{\"ids\":1,\"weights\":0.5}]}\n"),
            "w weighted ids:int64 weights:float64");
  EXPECT_EQ(Infer("{\"w\":[{\"ids\":1,\"weights\":2}]}\n"), "w sequence ids:int64 weights:int64");
  for (const auto& [rows, part] :
       {std::pair("{\"h\":[{\"a\":1},{\"a\":1,\"b\":2}]}\n", "\"h.b\" stands in 1 of 2 objects"),
        std::pair("{\"h\":[{\"a\":1}]}\n{\"h\":[1]}\n",
                  "a list of objects on line 1 and a list of values on line 2"),
        std::pair("{\"h\":[{\"a\":1}]}\n{\"h\":1}\n", "a list of objects on line 1 and a single"),
        std::pair("{\"h\":[{\"a\":1}]}\n{\"h\":{\"a\":1}}\n",
                  "a list of objects on line 1, and \"h.a\" al"),
        std::pair("{\"h\":{\"a\":[1]}}\n{\"h\":[{\"a\":1}]}\n", "expected one form"),
        std::pair("{\"h\":[{\"a\":1,\"a\":2}]}\n", "\"h.a\" stands twice in an object"),
        std::pair("{\"h\":[{\"a\":[[1]]}]}\n",
                  "feature \"h.a\": found an array in an object of the arr"),
        std::pair("{\"h\":[{\"a\":1},null]}\n", "feature \"h\": found null in an array"),
        std::pair("{\"h\":[{\"a.b\":1,\"a\":2}]}\n",
                  "column \"a.b\" would be nested in column \"a\""),
        std::pair("{\"h\":[{\"a\":{\"b\":1,\"b\":2}}]}\n", "\"h.a.b\" stands twice in an object"),
        std::pair("{\"h\":[{\"a\":{\"b\":1}},{\"a\":null}]}\n", "\"h.a.b\" stands in 1 of 2"),
        std::pair("{\"h\":[{\"a\":{\"b\":[{\"c\":1}]}}]}\n",
                  "feature \"h.a.b\": found an object in an object of the array \"h\""),
        std::pair("{\"h\":[{}]}\n{\"h\":[{\"a\":null}]}\n",
                  "objects in a list on line 1, none of which has a value")}) {
    EXPECT_NE(Infer(rows).find(part), std::string::npos) << Infer(rows);
  }
  // What was found reads every row.
  const std::string path = Write("r.jsonl",
                                 "{\"h\":[{\"a\":1,\"b\":\"x\"}]}\n{\"h\":[]}\n{\"h\":null}\n"
                                 "{\"h\":[{\"b\":\"y\",\"a\":2},{\"a\":3,\"b\":\"\"}]}\n");
  Result<Schema> schema = InferSchema(path);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_TRUE(Read(path, std::make_shared<const Schema>(*std::move(schema))).ok());
  EXPECT_EQ(Values<int64_t>(0, 0), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(batch_->feature(0).lengths, (std::vector<uint32_t>{1, 0, 2}));
}

constexpr const char* kNested = R"({"name": "h", "kind": "sequence", "columns": [
    {"name": "item.id"}, {"name": "item.of.brand", "type": "uint32", "hashed": true},
    {"name": "pos", "type": "int8"}, {"name": "item.tags_lengths", "type": "int32"}]},
    {"name": "h.item.tags", "kind": "list", "nested": false})";

TEST_F(EntriesTest, ObjectsInEntries) {
  EXPECT_EQ(
      Infer("{\"h\":[{\"item\":{\"id\":1,\"of\":{\"brand\":\"x\"},\"tags\":[7]},\"pos\":2}]}\n"),
      "h sequence item.id:int64 item.of.brand:int64:hashed item.tags_lengths:int32 pos:int64; "
      "h.item.tags list int64");
  const auto read = [&](const std::string& row, bool ignore_unknown = false) {
    return ReadText("n.jsonl", row + "\n", kNested, {.ignore_unknown = ignore_unknown});
  };
  const std::string whole = R"({"h":[{"item":{"id":1,"of":{"brand":"x"},"tags":[7,8]},"pos":2},)"
                            R"({"pos":3,"item":{"tags":[],"of.brand":"y","id":4}}]})";
  ASSERT_TRUE(read(whole).ok()) << read(whole).ToString();
  EXPECT_EQ(Values<int64_t>(0, 0), (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(Values<uint32_t>(0, 1),
            (std::vector<uint32_t>{static_cast<uint32_t>(IdOfText("x", Type::kUint32)),
                                   static_cast<uint32_t>(IdOfText("y", Type::kUint32))}));
  EXPECT_EQ(Values<int8_t>(0, 2), (std::vector<int8_t>{2, 3}));
  EXPECT_EQ(Values<int32_t>(0, 3), (std::vector<int32_t>{2, 0}));
  EXPECT_EQ(Values<int64_t>(1), (std::vector<int64_t>{7, 8}));
  // As it is written.
  const std::string flat =
      R"({"h":{"item":{"id":[1],"of":{"brand":["x"]},"tags_lengths":[1]},"pos":[2]},"h.item.tags":[7]})";
  ASSERT_TRUE(read(flat).ok()) << read(flat).ToString();
  EXPECT_EQ(Values<int64_t>(0, 0), (std::vector<int64_t>{1}));
  for (const auto& [item, part] :
       {std::pair(R"({"id":1,"of":{"brand":"x"},"tags":[],"id":2})", "\"h.item.id\" stands twice"),
        std::pair(R"({"id":1,"of":null,"tags":[]})", "entry 0 has no \"h.item.of.brand\""),
        std::pair(R"({"id":1,"of":5,"tags":[]})", "found \"h.item.of\", which is no column"),
        std::pair(R"({"id":{"n":1},"of":{"brand":"x"},"tags":[]})", "\"h.item.id\""),
        std::pair(R"({"id":1,"of":{"brand":"x","new":1},"tags":[]})",
                  "\"h.item.of.new\" is no feature of the schema"),
        std::pair(R"(7)", "found \"h.item\", which is no column")}) {
    EXPECT_REFUSED(read(std::string(R"({"h":[{"item":)") + item + R"(,"pos":1}]})"),
                   StatusCode::kBadInput, part);
  }
  ASSERT_TRUE(
      read(R"({"h":[{"item":{"id":1,"of":{"brand":"x","new":{"a":1}},"tags":[]},"pos":1}]})", true)
          .ok());
  ASSERT_EQ(coverage_.ignored.size(), 1U);
  EXPECT_EQ(coverage_.ignored[0].name, "h.item.of.new");
  // As a value it is another name than as an object, which may lack all columns.
  EXPECT_REFUSED(read(R"({"h":[{"item":7,"pos":1}]})", true), StatusCode::kBadInput,
                 "entry 0 has no \"h.item.id\"");
  const Status filled =
      ReadText("f.jsonl", "{\"h\":[{\"pos\":1},{\"item\":{\"id\":5},\"pos\":2}]}\n", kNested,
               {.null_entries = NullEntries::kFill});
  ASSERT_TRUE(filled.ok()) << filled.ToString();
  EXPECT_EQ(Values<int64_t>(0, 0), (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(Values<int32_t>(0, 3), (std::vector<int32_t>{0, 0}));
}

}  // namespace
}  // namespace dsi
