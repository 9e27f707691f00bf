// Keys in the paths of files: what rows have of them, and the features that they become.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/text/text_fixture.h"
#include "dsi/text/lines/path_keys_internal.h"

namespace dsi::test {
namespace {

using internal::KeysOfPath;

std::string Told(std::string_view path) {
  std::string told;
  for (const auto& key : KeysOfPath(path)) told += key.name + "=" + key.value + ";";
  return told;
}

TEST(PathKeys, OfFoldersAlone) {
  EXPECT_EQ(Told("logs/day=2026-01-01/hour=7/a=1.jsonl"), "day=2026-01-01;hour=7;");
  EXPECT_EQ(Told("/x=1/y=/z/=w/a"), "x=1;y=;");
  EXPECT_EQ(Told("a=b=c/x"), "a=b=c;");
  EXPECT_EQ(Told("city=New%20York/k%3D=%/%2=%zz/x"), "city=New York;k==%;%2=%zz;");
  EXPECT_EQ(Told("day=1/day=2/x"), "day=2;");
  EXPECT_EQ(Told("day=1/day=__HIVE_DEFAULT_PARTITION__/h=3/x"), "h=3;");
  EXPECT_EQ(Told("s3://bucket/day=7/x.csv"), "day=7;");
  EXPECT_EQ(Told("https://host/day=7/x.csv?v=1/w=2/"), "day=7;");
  EXPECT_EQ(Told("-"), "");
  EXPECT_EQ(Told(""), "");
}

class PathKeysTest : public TextTest {
 protected:
  std::string WriteIn(const std::string& folder, const std::string& name, std::string_view text) {
    std::filesystem::create_directories(folder_.File(folder));
    return Write(folder + "/" + name, text);
  }
  // All rows of these files into batch_.
  Status ReadAll(const std::vector<std::string>& paths, std::shared_ptr<const Schema> schema,
                 const TextInputOptions& options = {}) {
    std::vector<TextFile> files;
    for (const std::string& path : paths)
      files.push_back({.path = path, .name = "", .before_open = {}});
    batch_ = std::make_unique<RowBatch>(schema);
    DSI_ASSIGN_OR_RETURN(const auto input, TextInput::Open(files, schema, options));
    while (true) {
      DSI_ASSIGN_OR_RETURN(const bool more, input->Next(100'000, batch_.get()));
      if (!more) return {};
    }
  }
};

constexpr const char* kFeatures =
    "{\"name\": \"x\", \"kind\": \"dense\", \"type\": \"int64\"},"
    "{\"name\": \"hour\", \"kind\": \"dense\", \"type\": \"int32\"},"
    "{\"name\": \"day\", \"kind\": \"timestamp\", \"type\": \"int64\", \"unit\": \"s\"},"
    "{\"name\": \"city\", \"kind\": \"string\", \"type\": \"bytes\"},"
    "{\"name\": \"ids\", \"kind\": \"list\", \"type\": \"int64\"}";

TEST_F(PathKeysTest, RowsHaveWhatTheyDoNotSayThemselves) {
  const std::vector<std::string> paths = {
      WriteIn("hour=7/ids=3/day=1970-01-02", "a.jsonl", "{\"x\":1}\n{\"x\":2,\"hour\":9}\n"),
      WriteIn("day=1970-01-03/city=Bern", "b.jsonl", "{\"x\":3,\"hour\":null}\n{}\n"),
      Write("c.jsonl", "{\"x\":4,\"hour\":5}\n")};
  for (const int threads : {1, 3}) {
    TextInputOptions options;
    options.threads = threads;
    options.block_bytes = 16;
    ASSERT_TRUE(ReadAll(paths, MakeSchema(kFeatures), options).ok());
    ASSERT_EQ(batch_->num_rows(), 5U);
    EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 2, 3, 4}));
    EXPECT_EQ(Values<int32_t>(1), (std::vector<int32_t>{7, 9, 5}));
    EXPECT_EQ(batch_->feature(1).rows, (std::vector<uint32_t>{0, 1, 4}));
    EXPECT_EQ(Values<int64_t>(2), (std::vector<int64_t>{86400, 86400, 172800, 172800}));
    EXPECT_EQ(Text(3), "BernBern");
    EXPECT_EQ(batch_->feature(4).num_present, 0U);
  }
}

TEST_F(PathKeysTest, OfCellsToo) {
  const std::vector<std::string> paths = {WriteIn("hour=7", "a.csv", "x,hour\n1,\n2,8\n"),
                                          WriteIn("hour=9", "b.csv", "x\n3\n")};
  ASSERT_TRUE(ReadAll(paths, MakeSchema(kFeatures)).ok());
  EXPECT_EQ(Values<int32_t>(1), (std::vector<int32_t>{7, 8, 9}));
}

TEST_F(PathKeysTest, AValueThatDoesNotFitIsAnErrorOfTheRow) {
  const std::string path = WriteIn("hour=x", "a.jsonl", "{\"x\":1,\"hour\":2}\n{\"x\":1}\n");
  EXPECT_REFUSED(ReadAll({path}, MakeSchema(kFeatures)), StatusCode::kBadInput,
                 "a.jsonl:2: feature \"hour\": found \"x\", expected a number of type int32, in "
                 "the path");
  EXPECT_REFUSED(ReadAll({WriteIn("hour=99999999999", "a.jsonl", "{}\n")}, MakeSchema(kFeatures)),
                 StatusCode::kBadInput, "in the path");
  TextInputOptions options;
  options.on_bad_row = [](const BadRow&) { return Status::Ok(); };
  ASSERT_TRUE(ReadAll({path}, MakeSchema(kFeatures), options).ok());
  EXPECT_EQ(batch_->num_rows(), 1U);
}

// Paths state no types: with rows left out as well, a text in one makes the others texts.
TEST_F(PathKeysTest, NoRowIsLeftOutForWhatItsPathHolds) {
  std::vector<TextFile> files;
  for (const char* part : {"part=1", "part=2", "part=a"})
    files.push_back(
        {.path = WriteIn(part, "a.jsonl", "{\"x\":1}\n"), .name = "", .before_open = {}});
  InferOptions options;
  options.text.on_bad_row = [](const BadRow&) { return Status::Ok(); };
  const Result<Schema> schema = InferSchema(files, options);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  ASSERT_EQ(schema->features.size(), 2U);
  EXPECT_EQ(schema->features[1].columns[0].type, Type::kBytes);
}

// A column of empty cells, or a name that is always null, is what the path says.
TEST_F(PathKeysTest, AreInThePlaceOfNamesWithoutAValue) {
  for (const auto& [name, text] : {std::pair("a.csv", "x,hour\n1,\n2,\n"),
                                   std::pair("a.jsonl", "{\"x\":1,\"hour\":null}\n{\"x\":2}\n")}) {
    const std::string path = WriteIn("hour=7", name, text);
    InferReport report;
    const Result<Schema> schema = InferSchema(path, {}, &report);
    ASSERT_TRUE(schema.ok()) << schema.status().ToString();
    ASSERT_EQ(schema->features.size(), 2U);
    EXPECT_EQ(report.path_keys, std::vector<std::string>{"hour"});
    EXPECT_TRUE(report.dropped.empty());
    ASSERT_TRUE(ReadAll({path}, std::make_shared<Schema>(*schema)).ok());
    EXPECT_EQ(Values<int64_t>(1), (std::vector<int64_t>{7, 7}));
  }
}

TEST_F(PathKeysTest, BecomeFeaturesOfASchema) {
  std::vector<TextFile> files;
  const auto add = [&](const std::string& folder, std::string_view text) {
    files.push_back({.path = WriteIn(folder, "a.jsonl", text), .name = "", .before_open = {}});
  };
  add("day=2026-01-01/hour=07/n=1/mix=1/own=1", "{\"x\":1,\"own\":2.5}\n{\"x\":1}\n");
  add("day=2026-01-02/hour=11/n=-2/mix=a/some=1", "{\"x\":2}\n");
  InferReport report;
  const Result<Schema> schema = InferSchema(files, {}, &report);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  std::string told;
  for (const FeatureSpec& feature : schema->features) {
    told += feature.name + " " + std::string(KindName(feature.kind)) + " " +
            std::string(TypeName(feature.columns[0].type)) + ";";
  }
  EXPECT_EQ(told,
            "x dense int64;own dense float64;day timestamp int64;hour string bytes;n dense int64;"
            "mix string bytes;some dense int64;");
  EXPECT_EQ(report.path_keys, (std::vector<std::string>{"day", "hour", "n", "mix", "some"}));
  EXPECT_EQ(report.features[4].rows, 3U);
  EXPECT_EQ(report.features[6].rows, 0U);  // Not of all files.
  EXPECT_EQ(report.features[4].why, "a key in the paths; whole numbers");
  ASSERT_TRUE(ReadAll({files[0].path, files[1].path}, std::make_shared<Schema>(*schema)).ok());
  EXPECT_EQ(Values<int64_t>(4), (std::vector<int64_t>{1, 1, -2}));
  EXPECT_EQ(Values<double>(1), (std::vector<double>{2.5, 1}));
}

}  // namespace
}  // namespace dsi::test
