// What scans write down of what they read, and how the log is read.
#include "dsi/dataset/access_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {
namespace {

using Names = std::vector<std::string>;

TEST(AccessLog, EqualLinesAreCounted) {
  TempFolder folder;
  const std::string path = folder.File("log.jsonl");
  const Names one = {"b", "a"};
  const Names two = {"label", "quote\"\n", "é"};
  ASSERT_TRUE(AppendAccess(path, two).ok());
  ASSERT_TRUE(AppendAccess(path, one).ok());
  ASSERT_TRUE(AppendAccess(path, Names{"a", "b"}).ok());
  std::ofstream(path, std::ios::app)
      << "{\"job\": 7, \"features\": [\"a\", \"b\", \"a\"]}\n{\"features\": [\"c";
  const auto log = ReadAccessLog(path);
  ASSERT_TRUE(log.ok()) << log.status().ToString();
  ASSERT_EQ(log->size(), 2U);
  EXPECT_EQ((*log)[0].features, (Names{"a", "b"}));
  EXPECT_EQ((*log)[0].times, 3U);
  EXPECT_EQ((*log)[1].features, two);
  EXPECT_EQ((*log)[1].times, 1U);
}

TEST(AccessLog, SaysWhatIsWrong) {
  DatasetFolder folder;
  EXPECT_EQ(ReadAccessLog(folder.File("none")).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(AppendAccess(folder.File("no/log"), Names{"a"}).code(), StatusCode::kNotFound);
  EXPECT_EQ(AppendAccess(folder.path(), Names{"a"}).code(), StatusCode::kIo);
  for (const char* line : {"", "x", "[]", "{}", "{\"features\": []}", "{\"features\": [1]}",
                           "{\"features\": \"a\"}", "{\"features\": [\"a\"]} {}"}) {
    folder.PutText("log", std::string("{\"features\": [\"a\"]}\n") + line + "\n");
    const auto log = ReadAccessLog(folder.File("log"));
    ASSERT_EQ(log.status().code(), StatusCode::kBadInput) << line;
    EXPECT_NE(log.status().message().find("log: line 2"), std::string::npos)
        << log.status().ToString();
  }
  folder.PutText("log", "");
  EXPECT_TRUE(ReadAccessLog(folder.File("log"))->empty());
}

TEST(AccessLog, LinesOfManyWritersStayWhole) {
  TempFolder folder;
  const std::string path = folder.File("log");
  std::vector<std::thread> writers;
  for (size_t w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      const Names names(1, std::string(5000 + w, 'x'));
      for (int i = 0; i < 50; ++i) ASSERT_TRUE(AppendAccess(path, names).ok());
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto log = ReadAccessLog(path);
  ASSERT_TRUE(log.ok()) << log.status().ToString();
  ASSERT_EQ(log->size(), 4U);
  for (const FeatureUse& use : *log) EXPECT_EQ(use.times, 50U);
}

TEST(AccessLog, ScansTellWhichColumnsTheyRead) {
  DatasetFolder folder;
  Schema schema = SmallSchema();
  schema.features.push_back(OneColumn("label", Kind::kLabel, Type::kInt8));
  schema.features.push_back(OneColumn("list", Kind::kList, Type::kInt64));
  folder.PutRows("a.dsi", 0, 100, schema);
  const auto dataset = Dataset::Open(folder.File("a.dsi"));
  ASSERT_TRUE(dataset.ok());
  DatasetScanOptions options;
  options.access_log = folder.File("log");
  options.scan.features = {{.name = "list", .layout = Layout::kJagged}};
  options.scan.filter.where = {{"label", Compare::kLess, int64_t{50}}};
  ASSERT_TRUE((*dataset)->NewScan(options).ok());
  options.scan.features = {{.name = "no"}};
  ASSERT_FALSE((*dataset)->NewScan(options).ok());
  options.scan.features = {};
  options.scan.filter = {};
  options.pipeline = *Pipeline::FromJson(
      R"({"version": 1, "steps": [{"output": "x", "op": "log1p", "inputs": ["score"]}]})");
  ASSERT_TRUE((*dataset)->NewScan(options).ok());
  options.pipeline = {};
  ASSERT_TRUE((*dataset)->NewScan(options).ok());
  // Counting batches reads none.
  ASSERT_TRUE((*dataset)->CountBatches(options).ok());
  std::ifstream in(options.access_log);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  const auto log = ReadAccessLog(options.access_log);
  ASSERT_TRUE(log.ok()) << log.status().ToString();
  std::vector<Names> read;
  for (const FeatureUse& use : *log) read.push_back(use.features);
  EXPECT_EQ(read,
            (std::vector<Names>{{"key", "label", "list", "score"}, {"label", "list"}, {"score"}}));
  options.access_log = folder.File("no/log");
  EXPECT_EQ((*dataset)->NewScan(options).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace dsi::test
