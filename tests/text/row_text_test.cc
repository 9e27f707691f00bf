// Rows as JSON Lines: exact text, and the way back through the text input.
#include "dsi/text/row_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "dsi/io/file.h"
#include "dsi/text/text_input.h"
#include "dsi/tests/support/scan_model.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi::test {
namespace {

std::vector<std::byte> Written(const std::string& text, const std::string& schema_json,
                               WriterOptions options = {}) {
  const TempFolder folder;
  const std::string path = folder.File("rows.jsonl");
  std::ofstream(path, std::ios::binary) << text;
  auto schema = Schema::FromJson(schema_json);
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "t.dsi"), *schema, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  auto input = TextInput::Open(path, (*writer)->schema());
  EXPECT_TRUE(input.ok()) << input.status().ToString();
  RowBatch batch((*writer)->schema());
  for (;;) {
    const auto more = (*input)->Next(1000, &batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
  }
  EXPECT_TRUE((*writer)->Append(batch).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

WriterOptions KeepOrder() {
  WriterOptions options;
  options.keep_order = true;
  return options;
}

RowTextOptions Rows(std::vector<std::string> features, uint64_t begin = 0,
                    uint64_t end = UINT64_MAX) {
  RowTextOptions options;
  options.features = std::move(features);
  options.row_begin = begin;
  options.row_end = end;
  return options;
}

Result<std::string> TextOf(const std::vector<std::byte>& bytes, const RowTextOptions& options = {},
                           std::vector<uint64_t>* all_positions = nullptr) {
  DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(OpenMemoryFile(bytes, "t.dsi")));
  DSI_ASSIGN_OR_RETURN(const auto text, RowText::Create(*reader, options));
  std::string out;
  std::vector<uint64_t> positions;
  for (;;) {
    DSI_ASSIGN_OR_RETURN(const bool more, text->Next(&out, &positions));
    if (!more) return out;
    if (all_positions != nullptr)
      all_positions->insert(all_positions->end(), positions.begin(), positions.end());
  }
}

constexpr char kSchema[] = R"({"features": [
  {"name": "id", "kind": "key", "type": "uint64"},
  {"name": "user.age", "kind": "dense", "type": "float32"},
  {"name": "user.clicks", "kind": "list", "type": "int64"},
  {"name": "user.score", "kind": "dense", "type": "float64"},
  {"name": "flag", "kind": "dense", "type": "bool"},
  {"name": "query", "kind": "string"},
  {"name": "topics", "kind": "weighted", "type": "int64"},
  {"name": "history", "kind": "sequence", "columns": [{"name": "item", "type": "int64"}, {"name": "time", "type": "int32"}]},
  {"name": "vector", "kind": "embedding", "type": "float32", "length": 2}]})";

TEST(RowTextTest, TextComesBackAsItWas) {
  const std::string text =
      R"({"id":18446744073709551615,"user":{"age":5.0,"clicks":[1,-2,3],"score":0.1},"flag":true,"query":"a\"\\\n\u0001é","topics":{"ids":[7],"weights":[0.5]},"history":{"item":[1,2],"time":[10,20]},"vector":[-0.0,16777216.0]})"
      "\n"
      R"({"id":1,"user":{"clicks":[]},"flag":false,"query":"","history":{"item":[],"time":[]}})"
      "\n"
      R"({"id":2,"user":{"age":"NaN","score":"-Infinity"},"vector":["Infinity",0.1]})"
      "\n"
      R"({"id":3})"
      "\n"
      R"({"id":4,"user":{"score":1e+300}})"
      "\n";
  const auto back = TextOf(Written(text, kSchema, KeepOrder()));
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(*back, text);
}

TEST(RowTextTest, WideIntegersAreStringsWhereAsked) {
  const std::string schema =
      R"({"features": [{"name": "u", "kind": "key", "type": "uint64"}, {"name": "i", "kind": "list", "type": "int64"}, {"name": "f", "kind": "dense", "type": "float64"}]})";
  const std::string text =
      R"({"u":9007199254740991,"i":[-9007199254740991,9007199254740991],"f":1e+300})"
      "\n"
      R"({"u":9007199254740992,"i":[-9007199254740992,1,9223372036854775807]})"
      "\n"
      R"({"u":18446744073709551615})"
      "\n";
  RowTextOptions options;
  options.wide_integers_as_strings = true;
  const auto bytes = Written(text, schema, KeepOrder());
  const auto quoted = TextOf(bytes, options);
  ASSERT_TRUE(quoted.ok()) << quoted.status().ToString();
  EXPECT_EQ(*quoted, R"({"u":9007199254740991,"i":[-9007199254740991,9007199254740991],"f":1e+300})"
                     "\n"
                     R"({"u":"9007199254740992","i":["-9007199254740992",1,"9223372036854775807"]})"
                     "\n"
                     R"({"u":"18446744073709551615"})"
                     "\n");
  EXPECT_EQ(*TextOf(bytes), text);
}

TEST(RowTextTest, FlatNamesStayFlat) {
  const std::string schema =
      R"({"features": [{"name": "a.b", "kind": "dense", "type": "int64", "nested": false}, {"name": "c", "kind": "list", "type": "float32"}]})";
  const std::string text = "{\"a.b\":1,\"c\":[0.25,3.0]}\n";
  const auto back = TextOf(Written(text, schema, KeepOrder()));
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(*back, text);
}

TEST(RowTextTest, PositionIsGivenButNotWritten) {
  const std::string schema =
      R"({"features": [{"name": "s", "kind": "key", "type": "int64"}, {"name": "x", "kind": "dense", "type": "int64"}]})";
  const std::string text = "{\"s\":1,\"x\":1}\n{\"s\":2,\"x\":2}\n{\"s\":1,\"x\":3}\n";
  WriterOptions options;
  options.cluster_by = {"s"};
  options.keep_position = true;
  const auto bytes = Written(text, schema, options);
  std::vector<uint64_t> positions;
  const auto all = TextOf(bytes, {}, &positions);
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  EXPECT_EQ(*all, "{\"s\":1,\"x\":1}\n{\"s\":1,\"x\":3}\n{\"s\":2,\"x\":2}\n");
  EXPECT_EQ(positions, (std::vector<uint64_t>{0, 2, 1}));
  positions.clear();
  const auto some = TextOf(bytes, Rows({"x"}), &positions);
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(*some, "{\"x\":1}\n{\"x\":3}\n{\"x\":2}\n");
  EXPECT_EQ(positions, (std::vector<uint64_t>{0, 2, 1}));
  const auto named = TextOf(bytes, Rows({"x", "__position"}, 1, 2));
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(*named, "{\"x\":3,\"__position\":2}\n");
}

TEST(RowTextTest, WithoutPositionTheRowNumberCounts) {
  const auto bytes = Written("{\"x\":1}\n{\"x\":2}\n",
                             R"({"features": [{"name": "x", "kind": "dense", "type": "int64"}]})");
  std::vector<uint64_t> positions;
  ASSERT_TRUE(TextOf(bytes, Rows({}, 1), &positions).ok());
  EXPECT_EQ(positions, (std::vector<uint64_t>{1}));
}

TEST(RowTextTest, FilterLeavesRowsOutAndTellsHowFarItIs) {
  std::string rows;
  for (int i = 0; i < 3000; ++i) rows += "{\"x\":" + std::to_string(i % 1000) + "}\n";
  const auto bytes =
      Written(rows, R"({"features": [{"name": "x", "kind": "dense", "type": "int64"}]})");
  RowTextOptions options = Rows({}, 7, 2900);
  options.filter.where = {{"x", Compare::kEqual, int64_t{5}}};
  std::vector<uint64_t> positions;
  EXPECT_EQ(*TextOf(bytes, options, &positions), "{\"x\":5}\n{\"x\":5}\n");
  EXPECT_EQ(positions, (std::vector<uint64_t>{1005, 2005}));

  const auto reader = Reader::Open(OpenMemoryFile(bytes, "t.dsi"));
  ASSERT_TRUE(reader.ok());
  const auto text = RowText::Create(**reader, options);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ((*text)->next_row(), 7U);
  std::string out;
  ASSERT_TRUE(*(*text)->Next(&out, nullptr));
  EXPECT_EQ((*text)->next_row(), 2006U);
}

TEST(RowTextTest, BytesThatAreNoTextAreRefused) {
  ModelTable table;
  table.num_rows = 2;
  FeatureSpec& raw = table.schema.features.emplace_back();
  raw.name = "raw";
  raw.kind = Kind::kString;
  raw.columns = {{.name = "", .type = Type::kBytes, .id_space = ""}};
  table.columns = {{.name = "raw",
                    .kind = Kind::kString,
                    .type = Type::kBytes,
                    .rows = {std::vector<uint64_t>{'a'}, std::vector<uint64_t>{0xFF}}}};
  const auto text = TextOf(WriteTable(table, {}));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(text.status().message().find("row 1: column raw"), std::string::npos)
      << text.status().message();
}

TEST(RowTextTest, RandomTableTextIsStable) {
  const ModelTable table = RandomTable(21, 3000, 12);
  const auto bytes = WriteTable(table, StripesOf(1000));
  const auto text = TextOf(bytes);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  const auto again = TextOf(Written(*text, *table.schema.ToJson(), KeepOrder()));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, *text);
}

Result<std::string> TextOf(const Dataset& dataset, const RowTextOptions& options = {},
                           std::vector<uint64_t>* all_positions = nullptr) {
  DSI_ASSIGN_OR_RETURN(const auto text, RowText::Create(dataset, options));
  std::string out;
  std::vector<uint64_t> positions;
  for (;;) {
    DSI_ASSIGN_OR_RETURN(const bool more, text->Next(&out, &positions));
    if (!more) return out;
    if (all_positions == nullptr) continue;
    all_positions->insert(all_positions->end(), positions.begin(), positions.end());
    EXPECT_EQ(text->next_row(), positions.back() + 1);
  }
}

void WriteFile(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// Files that have other features, in another order, and rows in another than they came in.
TEST(RowTextTest, RowsOfManyFilesAreOneBehindTheOther) {
  const TempFolder folder;
  WriterOptions positions;
  positions.cluster_by = {"k"};
  positions.keep_position = true;
  WriteFile(folder.File("a.dsi"),
            Written("{\"k\":2}\n{\"k\":1}\n{\"k\":2,\"q\":{\"a\":[1]}}\n", R"({"features": [
      {"name": "k", "kind": "key", "type": "int64"},
      {"name": "q", "kind": "sequence", "columns": [{"name": "a", "type": "int64"}]}]})",
                    positions));
  WriteFile(folder.File("b.dsi"),
            Written("{\"n\":{\"x\":\"t\"},\"k\":3}\n{\"k\":4}\n", R"({"features": [
      {"name": "n.x", "kind": "string"}, {"name": "k", "kind": "key", "type": "int32"}]})",
                    KeepOrder()));
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  std::vector<uint64_t> rows;
  EXPECT_EQ(*TextOf(**dataset, {}, &rows),
            "{\"k\":2}\n{\"k\":2,\"q\":{\"a\":[1]}}\n{\"k\":1}\n"
            "{\"k\":3,\"n\":{\"x\":\"t\"}}\n{\"k\":4}\n");
  EXPECT_EQ(rows, (std::vector<uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(*TextOf(**dataset, Rows({"n.*", "q"}, 1, 4)),
            "{\"q\":{\"a\":[1]}}\n{}\n{\"n\":{\"x\":\"t\"}}\n");
  EXPECT_EQ(*TextOf(**dataset, Rows({"k"}, 5)), "");
  EXPECT_EQ(TextOf(**dataset, Rows({"k"}, 6)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(TextOf(**dataset, Rows({"z"})).status().code(), StatusCode::kNotFound);
}

// Batches whose rows were all left out are no end.
TEST(RowTextTest, AFilterLeavesOutRowsOfManyFiles) {
  const TempFolder folder;
  std::string expected;
  for (const int file : {0, 1}) {
    std::string text;
    for (int i = 0; i < 5000; ++i) {
      const std::string line = "{\"x\":" + std::to_string(10 * i + file) + "}\n";
      text += line;
      if (10 * i + file > 45000) expected += line;
    }
    WriteFile(folder.File(std::to_string(file) + ".dsi"),
              Written(text, R"({"features": [{"name": "x", "kind": "key", "type": "int64"}]})",
                      KeepOrder()));
  }
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  RowTextOptions options;
  options.filter.where = {{"x", Compare::kGreater, int64_t{45000}}};
  std::vector<uint64_t> rows;
  EXPECT_EQ(*TextOf(**dataset, options, &rows), expected);
  ASSERT_EQ(rows.size(), 999U);
  EXPECT_EQ(rows.front(), 4501U);
  EXPECT_EQ(rows.back(), 9999U);
}

}  // namespace
}  // namespace dsi::test
