// Several files as one text: order, headers that differ, one schema, and places in messages.
#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;

class ManyFilesTest : public test::TextTest {
 protected:
  void Add(const std::string& name, std::string_view text) {
    files_.push_back({.path = Write(name, text), .name = name, .before_open = {}});
  }
  Status ReadFiles(const std::string& features, const TextInputOptions& options = {}) {
    const auto schema = MakeSchema(features);
    batch_ = std::make_unique<RowBatch>(schema);
    DSI_ASSIGN_OR_RETURN(const auto input, TextInput::Open(files_, schema, options));
    while (true) {
      DSI_ASSIGN_OR_RETURN(const bool more, input->Next(2, batch_.get()));
      if (!more) break;
    }
    bytes_done_ = input->bytes_done();
    bytes_total_ = input->bytes_total();
    lines_done_ = input->lines_done();
    coverage_ = input->coverage();
    return {};
  }

  std::vector<TextFile> files_;
  TextCoverage coverage_;
};

TEST_F(ManyFilesTest, RowsStandInTheOrderOfTheFiles) {
  Add("a.jsonl", "{\"x\":1}\n{\"x\":2}\n{\"x\":3}");
  Add("none.jsonl", "");
  Add("b.jsonl.gz", test::Gzip("{\"x\":4}\n"));
  Add("lz.jsonl.lz4", test::Lz4("{\"x\":7}\n"));
  Add("c.jsonl.zst", test::Zstd("\n{\"x\":5}\n{\"x\":6}\n"));
  ASSERT_TRUE(ReadFiles(R"({"name": "x", "kind": "dense", "type": "int64"})").ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 2, 3, 4, 7, 5, 6}));
  EXPECT_EQ(lines_done_, 8U);
  EXPECT_EQ(bytes_done_, bytes_total_);
  EXPECT_GT(bytes_total_, 40U);
}

TEST_F(ManyFilesTest, HeadersMayDiffer) {
  Add("a.csv", "x,y,z\n1,2,u\n");
  Add("empty.csv", "");
  Add("b.csv", "y,x\n20,10\n");
  const char* features =
      R"({"name": "x", "kind": "dense", "type": "int64"},
         {"name": "y", "kind": "dense", "type": "int64"}, {"name": "w", "kind": "dense"})";
  EXPECT_REFUSED(ReadFiles(features), kBad, "a.csv:1: \"z\" of the header");
  ASSERT_TRUE(ReadFiles(features, {.ignore_unknown = true}).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 10}));
  EXPECT_EQ(Values<int64_t>(1), (std::vector<int64_t>{2, 20}));
  ASSERT_EQ(coverage_.ignored.size(), 1U);
  EXPECT_EQ(coverage_.ignored[0].first_file, "a.csv");
  EXPECT_EQ(coverage_.absent, (std::vector<std::string>{"w"}));
  // A file that is alone needs a header.
  files_ = {files_[1]};
  EXPECT_REFUSED(ReadFiles(features), kBad, "empty.csv:0: found no line");
}

TEST_F(ManyFilesTest, CoverageIsThatOfAll) {
  Add("a.jsonl", "{\"x\":1,\"k\":1}\n");
  Add("b.jsonl", "{\"y\":1,\"n\":null}\n\n{\"k\":1,\"m\":2}\n");
  ASSERT_TRUE(ReadFiles(R"({"name": "x", "kind": "dense"}, {"name": "y", "kind": "dense"},
                           {"name": "z", "kind": "dense"})",
                        {.ignore_unknown = true})
                  .ok());
  ASSERT_EQ(coverage_.ignored.size(), 2U);
  EXPECT_EQ(coverage_.ignored[0].name, "k");
  EXPECT_EQ(coverage_.ignored[0].values, 2U);
  EXPECT_EQ(coverage_.ignored[0].first_file, "a.jsonl");
  EXPECT_EQ(coverage_.ignored[1].first_file, "b.jsonl");
  EXPECT_EQ(coverage_.ignored[1].first_line, 3U);
  EXPECT_EQ(coverage_.absent, (std::vector<std::string>{"z"}));
}

TEST_F(ManyFilesTest, OneSchemaOverAll) {
  Add("a.jsonl", "{\"x\":1}\n");
  Add("b.jsonl", "{\"x\":0.5,\"l\":[1]}\n");
  InferReport report;
  Result<Schema> schema = InferSchema(files_, {}, &report);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  ASSERT_EQ(schema->features.size(), 2U);
  EXPECT_EQ(schema->features[0].columns[0].type, Type::kFloat64);
  EXPECT_EQ(report.rows, 2U);
  ASSERT_TRUE(InferSchema(files_, {.text = {}, .max_rows = 1, .progress = {}}, &report).ok());
  EXPECT_EQ(report.rows, 1U);
  Add("c.jsonl", "\n{\"x\":\"word\"}\n");
  EXPECT_REFUSED(InferSchema(files_).status(), kBad,
                 "feature \"x\": a string on line 2 of c.jsonl and a number on line 1 of a.jsonl");
  Add("d.jsonl", "{\"x\":\n");
  EXPECT_REFUSED(InferSchema(files_).status(), kBad, "d.jsonl:1:");
}

TEST_F(ManyFilesTest, ColumnsOfAllHeaders) {
  Add("a.csv", "x,u\n1,5\n");
  Add("empty.csv", "");
  Add("b.csv", "u.v,x\n7,word\n");
  InferReport report;
  const Result<Schema> schema = InferSchema(files_, {}, &report);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  ASSERT_EQ(schema->features.size(), 3U);
  EXPECT_EQ(schema->features[0].columns[0].type, Type::kBytes);
  EXPECT_FALSE(schema->features[2].nested);  // Beside "u" of the other file.
  ASSERT_EQ(report.mixed.size(), 1U);
  EXPECT_EQ(report.mixed[0].file, "b.csv");
  EXPECT_EQ(report.mixed[0].line, 2U);
}

TEST_F(ManyFilesTest, FormatsAndFilesThatAreNoText) {
  EXPECT_REFUSED(ReadFiles(R"({"name": "x", "kind": "dense"})"), StatusCode::kInvalidArgument,
                 "0 files");
  Add("a.jsonl", "{\"x\":1}\n");
  Add("b.csv", "x\n1\n");
  EXPECT_REFUSED(ReadFiles(R"({"name": "x", "kind": "dense"})"), StatusCode::kInvalidArgument,
                 "b.csv: names of different formats");
  files_.pop_back();
  files_.push_back({.path = folder_.File("none.jsonl"), .name = "", .before_open = {}});
  EXPECT_REFUSED(ReadFiles(R"({"name": "x", "kind": "dense"})"), StatusCode::kNotFound,
                 "none.jsonl");
  bool asked = false;
  files_[1].before_open = [&asked]() -> Status {
    asked = true;
    return {StatusCode::kCancelled, "not now"};
  };
  EXPECT_REFUSED(ReadFiles(R"({"name": "x", "kind": "dense"})"), StatusCode::kCancelled, "not now");
  EXPECT_TRUE(asked);
}

}  // namespace
}  // namespace dsi
