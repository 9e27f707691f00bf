// Hashed columns: texts of JSON, CSV and tf.Example become ids (S-015), found by inference and as
// declared.
#include "dsi/tests/text/example_text.h"
#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

using namespace test;  // NOLINT: the writers of messages.
constexpr StatusCode kBad = StatusCode::kBadInput;

// By another implementation of XXH3.
constexpr uint64_t kX = 0xeaf06c6480b2cd11;
constexpr uint64_t kComedy = 0x35f2ac7763dcc4c7;
constexpr uint64_t kNone = 0x2d06800538d394c2;  // The empty text.
constexpr uint64_t k63Bits = INT64_MAX;

constexpr char kFeatures[] = R"({"name": "l", "kind": "list", "hashed": true},
    {"name": "u", "kind": "list", "type": "uint64", "hashed": true},
    {"name": "d", "kind": "list", "type": "int32", "hashed": true},
    {"name": "w", "kind": "weighted", "type": "uint32", "hashed": true},
    {"name": "s", "kind": "sequence", "columns": [{"name": "a", "hashed": true},
        {"name": "n", "type": "int32"}]})";

class HashedTextTest : public TextTest {
 protected:
  void ExpectIds() {
    EXPECT_EQ(batch_->num_rows(), 2U);
    EXPECT_EQ(Values<uint64_t>(0), (std::vector<uint64_t>{kX & k63Bits, kComedy, kNone}));
    EXPECT_EQ(batch_->feature(0).lengths, (std::vector<uint32_t>{3, 0}));
    EXPECT_EQ(Values<uint64_t>(1), (std::vector<uint64_t>{kX}));
    EXPECT_EQ(Values<uint32_t>(2), (std::vector<uint32_t>{kX & INT32_MAX}));
    EXPECT_EQ(Values<uint32_t>(3), (std::vector<uint32_t>{kX & UINT32_MAX}));
    EXPECT_EQ(Values<uint64_t>(4), (std::vector<uint64_t>{kComedy}));
    EXPECT_EQ(Values<int32_t>(4, 1), (std::vector<int32_t>{5}));
  }
};

TEST(IdOfText, S015LowBitsOfTheHash) {
  EXPECT_EQ(IdOfText("x", Type::kUint64), kX);
  EXPECT_EQ(IdOfText("x", Type::kInt64), kX & k63Bits);
  EXPECT_EQ(IdOfText("x", Type::kUint32), kX & UINT32_MAX);
  EXPECT_EQ(IdOfText("x", Type::kInt32), kX & INT32_MAX);
  EXPECT_EQ(IdOfText("", Type::kUint64), kNone);
  std::string all;  // Long ones are hashed by another path, with vectors.
  for (int i = 0; i < 512; ++i) all += static_cast<char>(i);
  EXPECT_EQ(IdOfText(all, Type::kUint64), 0x1059105ad19bfa09U);
}

TEST_F(HashedTextTest, Json) {
  ASSERT_TRUE(
      ReadText("r.jsonl",
               R"({"l":["x","comedy",""],"u":"x","d":["x"],"w":{"ids":["x"],"weights":[1]},)"
               R"("s":{"a":["comedy"],"n":[5]}})"
               "\n{\"l\":[]}\n",
               kFeatures)
          .ok());
  ExpectIds();
}

TEST_F(HashedTextTest, Csv) {
  ASSERT_TRUE(ReadText("r.csv",
                       "l,u,d,w.ids,w.weights,s.a,s.n\n"
                       "x|comedy|,x,x,x,1,comedy,5\n"
                       "\"\",,,,,,\n",
                       kFeatures)
                  .ok());
  ExpectIds();
}

TEST_F(HashedTextTest, Example) {
  ASSERT_TRUE(ReadText("r.tfrecord",
                       Record(Example(
                           Entry("l", BytesList({"x", "comedy", ""})) +
                           Entry("u", BytesList({"x"})) + Entry("d", BytesList({"x"})) +
                           Entry("w.ids", BytesList({"x"})) + Entry("w.weights", FloatList({1})) +
                           Entry("s.a", BytesList({"comedy"})) + Entry("s.n", IntList({5})))) +
                           Record(Example(Entry("l", BytesList({})))),
                       kFeatures)
                  .ok());
  ExpectIds();
  // Any bytes: many ids are no text.
  ASSERT_TRUE(
      ReadText("r.tfrecord", Record(Example(Entry("u", BytesList({"\xff"})))), kFeatures).ok());
  EXPECT_EQ(Values<uint64_t>(1), (std::vector<uint64_t>{IdOfText("\xff", Type::kUint64)}));
}

// Numbers are ids already, as a file that is written as JSON and read again has them. In CSV all is
// text.
TEST_F(HashedTextTest, NumbersStay) {
  ASSERT_TRUE(ReadText("r.jsonl", "{\"l\":[7,8],\"d\":[9]}\n", kFeatures).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(Values<int32_t>(2), (std::vector<int32_t>{9}));
  ASSERT_TRUE(ReadText("r.tfrecord", Record(Example(Entry("l", IntList({7})))), kFeatures).ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{7}));
  ASSERT_TRUE(ReadText("r.csv", "l\n7\n", kFeatures).ok());
  EXPECT_EQ(Values<uint64_t>(0), (std::vector<uint64_t>{IdOfText("7", Type::kInt64)}));
}

TEST_F(HashedTextTest, MixturesAreRefused) {
  for (const auto& [row, part] :
       {std::pair(R"({"l":["a",1]})", "entry 1: found the number 1, expected strings alone or"),
        std::pair(R"({"l":[1,"a"]})", "entry 1: found the string \"a\", expected strings alone"),
        std::pair(R"({"l":["a",null]})", "entry 1: found null"),
        std::pair(R"({"l":5})", "found the number 5, expected an array"),
        std::pair(R"({"s":{"a":["x","y"],"n":[5]}})", "unequal lengths")}) {
    const Status status = ReadText("r.jsonl", row, kFeatures);
    EXPECT_EQ(status.code(), kBad) << row;
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
    EXPECT_EQ(batch_->num_rows(), 0U);
  }
  // Only what is declared.
  const Status plain = ReadText("r.jsonl", R"({"l":["a"]})", R"({"name": "l", "kind": "list"})");
  EXPECT_NE(plain.message().find("(a \"hashed\" list takes strings)"), std::string::npos)
      << plain.message();
}

TEST_F(HashedTextTest, FoundWithoutASchema) {
  const auto found = [this](const std::string& name, std::string_view text) {
    const auto schema = InferSchema(Write(name, text));
    if (!schema.ok()) return schema.status().message();
    const ColumnSpec& column = schema->features[0].columns[0];
    return std::string(KindName(schema->features[0].kind)) + " " +
           std::string(TypeName(column.type)) + (column.hashed ? " hashed" : "");
  };
  EXPECT_EQ(found("a.jsonl", "{\"x\":[]}\n{\"x\":[\"a\",\"2024-05-01\"]}\n"), "list int64 hashed");
  EXPECT_EQ(found("a.jsonl", "{\"x\":[\"NaN\"]}\n{\"x\":[\"a\"]}\n"), "list int64 hashed");
  EXPECT_EQ(found("a.jsonl", "{\"x\":[\"NaN\"]}\n{\"x\":[1]}\n"), "list float64");
  EXPECT_NE(found("a.jsonl", "{\"x\":[\"a\"]}\n{\"x\":[1]}\n").find("a string on line 1 and a num"),
            std::string::npos);
  EXPECT_NE(found("a.jsonl", "{\"x\":[\"a\"]}\n{\"x\":\"a\"}\n").find("a list on line 1 and a sin"),
            std::string::npos);
  EXPECT_EQ(found("a.csv", "x\na|b\n"), "string bytes");
  EXPECT_EQ(found("a.tfrecord", Record(Example(Entry("x", BytesList({"a", "b"})))) +
                                    Record(Example(Entry("x", BytesList({"a"}))))),
            "list int64 hashed");
  // Of lists of both kinds the more frequent one stays where rows may be left out.
  InferOptions most;
  most.text.on_bad_row = [](const BadRow&) { return Status(); };
  const auto schema =
      InferSchema(Write("a.jsonl", "{\"x\":[\"a\"]}\n{\"x\":[\"b\"]}\n{\"x\":[1]}\n"), most);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_TRUE(schema->features[0].columns[0].hashed);
}

}  // namespace
}  // namespace dsi
