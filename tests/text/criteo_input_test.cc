#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;

// Cells 0 (the label) to 39.
std::string Line(const std::vector<std::pair<int, std::string>>& cells, int first = 0) {
  std::string line;
  for (int cell = first; cell < 40; ++cell) {
    if (cell > first) line += '\t';
    for (const auto& [at, text] : cells) line += at == cell ? text : "";
  }
  return line + "\n";
}

class CriteoInputTest : public test::TextTest {
 protected:
  Status ReadLines(std::string_view text, TextInputOptions options = {}) {
    options.format = TextFormat::kCriteo;
    const std::string path = Write("day_0", text);
    DSI_ASSIGN_OR_RETURN(Schema schema,
                         InferSchema(path, {.text = options, .max_rows = 0, .progress = {}}));
    schema_ = std::make_shared<const Schema>(std::move(schema));
    return Read(path, schema_, options);
  }
  std::shared_ptr<const Schema> schema_;
};

TEST_F(CriteoInputTest, ReadsLines) {
  ASSERT_TRUE(
      ReadLines(
          Line({{0, "1"}, {1, "-3"}, {13, "2147483647"}, {14, "68fd1e64"}, {39, "ffffffff"}}) +
          "\n" + Line({{0, "0"}, {14, "a"}}) + Line({{1, "5"}}, 1) + Line({}))
          .ok());
  ASSERT_EQ(schema_->features.size(), 40U);
  EXPECT_EQ(batch_->num_rows(), 4U);
  EXPECT_EQ(schema_->features[14].name, "C1");
  EXPECT_EQ(Values<uint32_t>(14), (std::vector<uint32_t>{0x68fd1e64, 0xa}));
  EXPECT_EQ(Values<uint32_t>(39), (std::vector<uint32_t>{0xffffffff}));
  EXPECT_EQ(Values<int32_t>(13)[0], 2147483647);
  EXPECT_EQ(Values<int32_t>(1)[0], -3);
  EXPECT_EQ(Values<int8_t>(0)[0], 1);
}

TEST_F(CriteoInputTest, WhatDoesNotFit) {
  const std::string good = Line({{0, "1"}});
  EXPECT_REFUSED(ReadLines(good + "1\t2\n"), kBad,
                 "day_0:2: found 2 cells, expected 40 of Criteo's format");
  EXPECT_REFUSED(ReadLines(good.substr(0, good.size() - 1) + "\t\n"), kBad, "found 41 cells");
  EXPECT_REFUSED(ReadLines(Line({{14, "xyz"}})), kBad,
                 "day_0:1: C1: found \"xyz\", expected up to 8 hex");
  EXPECT_REFUSED(ReadLines(Line({{14, "123456789"}})), kBad, "C1: found");
  EXPECT_REFUSED(ReadLines(Line({{14, "-1"}})), kBad, "C1: found");
  EXPECT_REFUSED(ReadLines(Line({{1, "1.5"}})), kBad, "I1: found \"1.5\", expected a whole number");
  EXPECT_REFUSED(ReadLines(Line({{1, "2147483648"}})), kBad, "day_0:1:");
  int bad = 0;
  TextInputOptions options;
  options.on_bad_row = [&bad](const BadRow&) { return ++bad, Status(); };
  EXPECT_TRUE(ReadLines(good + "junk\n" + good, options).ok());
  EXPECT_EQ(bad, 1);
  EXPECT_EQ(batch_->num_rows(), 2U);
}

TEST_F(CriteoInputTest, OtherSchemas) {
  TextInputOptions options;
  options.format = TextFormat::kCriteo;
  const std::string line = Line({{0, "1"}, {1, "7"}, {14, "0a"}, {15, "ff"}});
  const char* some = R"({"name": "C1", "kind": "string"}, {"name": "C2", "kind": "key"},
      {"name": "I1", "kind": "dense", "type": "float32"})";
  EXPECT_REFUSED(ReadText("d", line, some, options), kBad,
                 "label of Criteo's format is no feature");
  options.ignore_unknown = true;
  ASSERT_TRUE(ReadText("d", line, some, options).ok());
  EXPECT_EQ(Text(0), "0a");
  EXPECT_EQ(Values<int64_t>(1)[0], 255);
  EXPECT_EQ(Values<float>(2)[0], 7);
}

}  // namespace
}  // namespace dsi
