#include "dsi/text/text_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <limits>
#include <thread>

#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

using test::Gzip;
using test::Zstd;

constexpr char kId[] = R"({"name": "id", "kind": "key"})";
constexpr StatusCode kBad = StatusCode::kBadInput;

class TextInputTest : public test::TextTest {
 protected:
  // A row with one feature "x" of a kind; the message about it.
  std::string ErrorOf(const std::string& value, const std::string& members) {
    const Status status = ReadText("e.jsonl", "{\"x\":1}\n{\"x\":" + value + "}\n",
                                   R"({"name": "x", )" + members + "}");
    EXPECT_EQ(status.code(), kBad) << value << status.ToString();
    return status.message();
  }
};

TEST_F(TextInputTest, ReadsEveryKind) {
  const std::string features = R"(
      {"name": "session_id", "kind": "key"}, {"name": "t", "kind": "timestamp", "unit": "ms"},
      {"name": "label", "kind": "label", "type": "bool"},
      {"name": "user.age", "kind": "dense", "type": "float32"},
      {"name": "user.clicks", "kind": "list"},
      {"name": "user.history", "kind": "sequence", "columns": [{"name": "item"},
          {"name": "time", "type": "int32"}]},
      {"name": "topics", "kind": "weighted"},
      {"name": "vec", "kind": "embedding", "length": 2},
      {"name": "city", "kind": "string"},
      {"name": "a.b", "kind": "dense", "type": "int8", "nested": false})";
  const std::string rows =
      "{\"session_id\":9223372036854775807,\"t\":5,\"label\":true,\"user\":{\"age\":30.5,"
      "\"clicks\":[3,1,2],\"history\":{\"item\":[7,8],\"time\":[1,2]}},"
      "\"topics\":{\"ids\":[4],\"weights\":[0.25]},\"vec\":[1,2.5],\"city\":\"K\\u00f6ln\",\"a.b\":"
      "1}\n"
      "{\"session_id\":-9223372036854775808,\"user\":{\"clicks\":[],\"age\":null},\"city\":\"\"}\n"
      "{}\n";
  ASSERT_TRUE(ReadText("rows.jsonl", rows, features).ok());
  EXPECT_EQ(batch_->num_rows(), 3U);
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{INT64_MAX, INT64_MIN}));
  EXPECT_EQ(Values<uint8_t>(2), (std::vector<uint8_t>{1}));
  EXPECT_EQ(Values<float>(3), (std::vector<float>{30.5F}));
  EXPECT_EQ(Values<int64_t>(4), (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(batch_->feature(4).lengths, (std::vector<uint32_t>{3, 0}));  // Empty is not missing.
  EXPECT_EQ(batch_->feature(4).rows, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(Values<int32_t>(5, 1), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(Values<float>(6, 1), (std::vector<float>{0.25F}));
  EXPECT_EQ(Values<float>(7), (std::vector<float>{1, 2.5F}));
  EXPECT_EQ(Text(8), "Köln");
  EXPECT_EQ(batch_->feature(8).lengths, (std::vector<uint32_t>{5, 0}));
  EXPECT_EQ(Values<int8_t>(9), (std::vector<int8_t>{1}));
  EXPECT_EQ(bytes_done_, rows.size());
  EXPECT_EQ(bytes_total_, rows.size());
  EXPECT_EQ(lines_done_, 3U);
}

TEST_F(TextInputTest, KeyOrderAndGapsDoNotMatter) {
  const std::string features = R"({"name": "a.x", "kind": "dense", "type": "int64"},
      {"name": "a.y", "kind": "dense", "type": "int64"},
      {"name": "b", "kind": "dense", "type": "int64"})";
  ASSERT_TRUE(ReadText("rows.jsonl",
                       "{\"a\":{\"x\":1,\"y\":2},\"b\":3}\n{\"b\":6,\"a\":{\"y\":5,\"x\":4}}\n"
                       "{\"a.y\":8,\"b\":9,\"a.x\":7}\n{\"a\":{\"y\":11},\"a.x\":10}\n{\"b\":12}\n",
                       features)
                  .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 4, 7, 10}));
  EXPECT_EQ(Values<int64_t>(1), (std::vector<int64_t>{2, 5, 8, 11}));
  EXPECT_EQ(Values<int64_t>(2), (std::vector<int64_t>{3, 6, 9, 12}));
}

TEST_F(TextInputTest, LineEndsAndByteOrderMark) {
  ASSERT_TRUE(
      ReadText("rows.jsonl", "\xef\xbb\xbf{\"id\":1}\r\n\r\n  \n\n{\"id\":2}\n{\"id\":3}", kId)
          .ok());
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(lines_done_, 6U);
  ASSERT_TRUE(ReadText("empty.jsonl", "", kId).ok());
  EXPECT_EQ(batch_->num_rows(), 0U);
  ASSERT_TRUE(ReadText("mark.jsonl", "\xef\xbb\xbf", kId).ok());
}

TEST_F(TextInputTest, NumbersKeepTheirBits) {
  ASSERT_TRUE(
      ReadText(
          "n.jsonl",
          "{\"x\":-0.0}\n{\"x\":1e308}\n{\"x\":5e-324}\n{\"x\":\"NaN\"}\n{\"x\":\"-Infinity\"}\n"
          "{\"x\":9007199254740992}\n{\"x\":18446744073709549568}\n{\"x\":1e-400}\n",
          R"({"name": "x", "kind": "dense", "type": "float64"})")
          .ok());
  const std::vector<double> values = Values<double>(0);
  EXPECT_EQ(std::bit_cast<uint64_t>(values[0]), uint64_t{1} << 63);
  EXPECT_EQ(values[1], 1e308);
  EXPECT_EQ(std::bit_cast<uint64_t>(values[2]), 1U);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_EQ(values[4], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(values[5], 9007199254740992.0);
  EXPECT_EQ(values[6], 18446744073709549568.0);
  EXPECT_EQ(values[7], 0.0);
  ASSERT_TRUE(ReadText("u.jsonl",
                       "{\"x\":[18446744073709551615,0]}\n{\"x\":[9223372036854775808]}\n",
                       R"({"name": "x", "kind": "list", "type": "uint64"})")
                  .ok());
  EXPECT_EQ(Values<uint64_t>(0), (std::vector<uint64_t>{UINT64_MAX, 0, uint64_t{1} << 63}));
  ASSERT_TRUE(ReadText("f.jsonl", "{\"x\":[1,2.5,\"NaN\",-0.0,16777217.0]}\n",
                       R"({"name": "x", "kind": "list", "type": "float32"})")
                  .ok());
  const std::vector<float> floats = Values<float>(0);
  EXPECT_EQ(floats[1], 2.5F);
  EXPECT_TRUE(std::isnan(floats[2]));
  EXPECT_TRUE(std::signbit(floats[3]));
  EXPECT_EQ(floats[4], 16777216.0F);
}

TEST_F(TextInputTest, StringsAreAnyUnicode) {
  ASSERT_TRUE(ReadText("s.jsonl", R"({"x":"a\u0000b\ud83d\ude00\"\\\/\b\f\n\r\té"})",
                       R"({"name": "x", "kind": "string"})")
                  .ok());
  EXPECT_EQ(Text(0), std::string("a\0b", 3) + "😀\"\\/\b\f\n\r\té");
  ASSERT_TRUE(ReadText("k.jsonl", R"({"\u0078":5})", R"({"name": "x", "kind": "key"})").ok());
  EXPECT_EQ(Values<int64_t>(0), std::vector<int64_t>{5});
}

TEST_F(TextInputTest, NamesTheLineAndColumnOfMalformedJson) {
  const struct {
    const char* line;
    const char* part;
  } cases[] = {{"{\"id\":1", ":2:8: malformed JSON: the text ends early, expected ',' or '}'"},
               {"{\"id\":}", ":2:7: malformed JSON: found \"}\", expected a value"},
               {"{\"id\":1} {\"id\":2}", ":2:10: malformed JSON"},
               {"{id:1}", "expected a name in double quotes"},
               {"{\"id\":01}", "leading zeros"},
               {"{\"id\":NaN}", "found \"NaN}\", expected a value"},
               {"{\"id\":18446744073709551616}",
                ":2:7: malformed JSON: the whole number "
                "18446744073709551616 does not fit 64 bits"},
               {"{\"id\":-9223372036854775809}", "does not fit 64 bits"},
               {"{\"id\":1e400}", "does not fit float64"},
               {"{\"s\":\"\\ud800\"}", "lone high surrogate"},
               {"{\"s\":\"\xc3\x28\"}", ":2:7: text that is not valid UTF-8"},
               {"[1]", ":2: found an array, expected an object"},
               {"7", "found the number 7, expected an object"},
               {"\"abc\"", "found the string \"abc\""}};
  for (const auto& one : cases) {
    EXPECT_REFUSED(ReadText("bad.jsonl", std::string("{\"id\":1}\n") + one.line + "\n", kId), kBad,
                   one.part);
    EXPECT_EQ(batch_->num_rows(), 1U) << one.line;
  }
  std::string deep = "{\"id\":";
  for (int i = 0; i < 64; ++i) deep += "{\"a\":";
  EXPECT_REFUSED(ReadText("deep.jsonl", deep + "1" + std::string(65, '}'), kId), kBad,
                 "nested deeper than 64");
  TextInputOptions options;
  options.ignore_unknown = true;
  deep = "{\"u\":";
  for (int i = 0; i < 63; ++i) deep += "{\"a\":";
  EXPECT_TRUE(ReadText("deep.jsonl", deep + "1" + std::string(64, '}'), kId, options).ok());
}

TEST_F(TextInputTest, RefusesValuesThatDoNotFit) {
  const std::string int8 = R"("kind": "dense", "type": "int8")";
  const std::string float64 = R"("kind": "dense", "type": "float64")";
  EXPECT_NE(ErrorOf("128", int8)
                .find("e.jsonl:2: feature \"x\": found 128, expected a value that fits type int8"),
            std::string::npos);
  EXPECT_NE(ErrorOf("5.0", int8).find("found the number 5, expected a number of type int8"),
            std::string::npos);
  EXPECT_NE(ErrorOf("true", int8).find("found true"), std::string::npos);
  EXPECT_NE(ErrorOf("\"7\"", int8).find("found the string \"7\""), std::string::npos);
  EXPECT_NE(ErrorOf("[1]", int8).find("found an array"), std::string::npos);
  EXPECT_NE(ErrorOf("{\"a\":1}", int8).find("found an object"), std::string::npos);
  EXPECT_NE(ErrorOf("9007199254740993", float64).find("float64 does not hold exactly"),
            std::string::npos);
  EXPECT_NE(ErrorOf("18446744073709551615", float64).find("float64 does not hold exactly"),
            std::string::npos);
  // What is written as a fraction is rounded, what is written as a whole number is not.
  const std::string float32 = R"("kind": "dense", "type": "float32")";
  EXPECT_NE(ErrorOf("16777217", float32).find("float32 does not hold exactly: declare float64"),
            std::string::npos);
  EXPECT_NE(ErrorOf("-16777217", float32).find("exactly"), std::string::npos);
  const Status entry = ReadText("e.jsonl", "{\"x\":[0.1,16777217]}\n",
                                R"({"name": "x", "kind": "list", "type": "float32"})");
  EXPECT_NE(entry.message().find("entry 1: found the number 16777217, which float32 does not"),
            std::string::npos)
      << entry.message();
  for (const char* exact : {"16777216", "-16777218", "4294967296", "0.1", "16777217.0", "1e20"})
    EXPECT_TRUE(ReadText("e.jsonl", "{\"x\":" + std::string(exact) + "}\n",
                         R"({"name": "x", )" + float32 + "}")
                    .ok())
        << exact;
  EXPECT_NE(ErrorOf("\"nan\"", float64).find("the string \"nan\""), std::string::npos);
  EXPECT_NE(ErrorOf("1e300", R"("kind": "dense", "type": "float32")").find("fits type float32"),
            std::string::npos);
  EXPECT_NE(ErrorOf("9223372036854775808", R"("kind": "key")").find("fits type int64"),
            std::string::npos);
  EXPECT_NE(ErrorOf("2", R"("kind": "label", "type": "bool")").find("fits type bool"),
            std::string::npos);
}

TEST_F(TextInputTest, RefusesListsThatDoNotFit) {
  const auto error_of = [this](const std::string& value, const std::string& members) {
    const Status status =
        ReadText("e.jsonl", "{\"x\":" + value + "}", R"({"name": "x", )" + members + "}");
    EXPECT_EQ(status.code(), kBad) << status.ToString();
    EXPECT_EQ(batch_->num_rows(), 0U);
    EXPECT_EQ(batch_->size_bytes(), 0U);
    return status.message();
  };
  const std::string list = R"("kind": "list")";
  for (const char* bad : {"[1,\"a\"]", "[1,null]", "[1,[2]]", "[1,{}]", "[1,2.5]", "[1,true]"}) {
    EXPECT_NE(error_of(bad, list).find("entry 1: found"), std::string::npos) << bad;
    const char* advice = bad == std::string_view("[1,\"a\"]") ? "hashed"
                         : bad == std::string_view("[1,[2]]") ? "lists of lists take a list \"x_l"
                                                              : "lists hold neither";
    EXPECT_NE(error_of(bad, list).find(advice), std::string::npos) << bad;
  }
  EXPECT_NE(
      error_of("[1,9007199254740993]", R"("kind": "list", "type": "float64")").find("entry 1"),
      std::string::npos);
  EXPECT_NE(error_of("[9223372036854775808]", list).find("fits type int64"), std::string::npos);
  EXPECT_NE(error_of("[1, 300]", R"("kind": "list", "type": "uint8")").find("found 300"),
            std::string::npos);
  EXPECT_NE(error_of("5", list).find("found the number 5, expected an array"), std::string::npos);
  EXPECT_NE(
      error_of("[1,2,3]", R"("kind": "embedding", "length": 2)").find("3 numbers, expected 2"),
      std::string::npos);
  const std::string sequence =
      R"("kind": "sequence", "columns": [{"name": "item"}, {"name": "time"}])";
  EXPECT_NE(error_of("{\"item\":[1,2],\"time\":[1]}", sequence).find("unequal"), std::string::npos);
  EXPECT_NE(error_of("{\"item\":[1,2]}", sequence).find("\"time\" is missing"), std::string::npos);
  EXPECT_NE(error_of("{\"item\":[1],\"time\":null}", sequence).find("\"time\" is missing"),
            std::string::npos);
  EXPECT_NE(error_of("[1]", sequence).find("entry 0: found the number 1, expected an object"),
            std::string::npos);
  EXPECT_NE(error_of("{\"item\":[1],\"place\":[2]}", sequence).find("\"x.place\" is no feature"),
            std::string::npos);
}

TEST_F(TextInputTest, RefusesDuplicateKeys) {
  const std::string features = R"({"name": "id", "kind": "key"}, {"name": "a.b", "kind": "key"})";
  for (const char* row :
       {R"({"id":1,"id":1})", R"({"id":null,"id":1})", R"({"a":{"b":1},"a.b":2})",
        R"({"a.b":2,"a":{"b":1}})", R"({"a":{"b":1},"a":{}})", R"({"a":{"b":1,"b":null}})"}) {
    EXPECT_REFUSED(ReadText("dup.jsonl", row, features), kBad, "stands twice in the row");
  }
}

TEST_F(TextInputTest, UnknownFeatures) {
  EXPECT_REFUSED(ReadText("u.jsonl", R"({"id":1,"u":{"v":[2]}})", kId), kBad,
                 "\"u\" is no feature of the schema; found an object");
  // Missing and null are one state.
  EXPECT_TRUE(ReadText("u.jsonl", R"({"id":1,"u":null})", kId).ok());
  TextInputOptions options;
  options.ignore_unknown = true;
  ASSERT_TRUE(
      ReadText("u.jsonl", R"({"u":{"id":7,"w":["x",[]]},"id":1,"v":"s"})", kId, options).ok());
  EXPECT_EQ(Values<int64_t>(0), std::vector<int64_t>{1});
}

TEST_F(TextInputTest, GoesOnBehindABadRow) {
  const std::string path = Write("r.jsonl", "{\"id\":1}\n{\"id\":\n{\"id\":\"x\"}\n{\"id\":4}\n");
  const std::shared_ptr<const Schema> schema = MakeSchema(kId);
  Result<std::unique_ptr<TextInput>> input = TextInput::Open(path, schema);
  ASSERT_TRUE(input.ok());
  batch_ = std::make_unique<RowBatch>(schema);
  EXPECT_REFUSED((*input)->Next(10, batch_.get()).status(), kBad, ":2");
  EXPECT_REFUSED((*input)->Next(10, batch_.get()).status(), kBad, ":3");
  EXPECT_TRUE(*(*input)->Next(10, batch_.get()));
  EXPECT_FALSE(*(*input)->Next(10, batch_.get()));
  EXPECT_FALSE(*(*input)->Next(10, batch_.get()));
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 4}));
  RowBatch other(MakeSchema(kId));
  EXPECT_EQ((*input)->Next(1, &other).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TextInputTest, OpenSaysWhatIsWrong) {
  const std::shared_ptr<const Schema> schema = MakeSchema(kId);
  EXPECT_EQ(TextInput::Open(folder_.File("none.jsonl"), schema).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(TextInput::Open(folder_.path() + "/", schema).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(TextInput::Open(Write("x.parquet", ""), schema).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(TextInput::Open("x.jsonl", nullptr).status().code(), StatusCode::kInvalidArgument);
  EXPECT_REFUSED(TextInput::Open(Write("x.jsonl.gz", "{\"id\":1}\n"), schema).status(), kBad,
                 "not gzip");
  TextInputOptions options;
  options.format = TextFormat::kJsonLines;
  ASSERT_TRUE(Read(Write("x.log", "{\"id\":1}\n"), schema, options).ok());
  EXPECT_EQ(Read(folder_.path(), schema, options).code(), StatusCode::kIo);
  options.max_line_bytes = 10;
  EXPECT_REFUSED(Read(Write("x.log", "{\"id\":1}\n{\"id\":12345}\n"), schema, options),
                 StatusCode::kResourceExhausted, ":2: a line of more than 10 bytes");
  EXPECT_EQ(batch_->num_rows(), 1U);
}

TEST_F(TextInputTest, CompressedTextsOfAnyLength) {
  std::string text;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 100'000; ++i) {
    ids.push_back(i * 7919);
    text += "{\"id\":" + std::to_string(i * 7919) + "}\n";
  }
  text += "{\"id\":1" + std::string(3 << 20, ' ') + "}\n";  // Longer than the first buffer.
  ids.push_back(1);
  ASSERT_TRUE(ReadText("a.jsonl", text, kId).ok());
  EXPECT_EQ(Values<int64_t>(0), ids);
  const size_t half = text.find('\n', text.size() / 3) - 2;  // Cut inside a line.
  const std::string_view whole = text;
  const std::string gzip = Gzip(whole.substr(0, half)) + Gzip("") + Gzip(whole.substr(half));
  ASSERT_TRUE(ReadText("a.jsonl.gz", gzip, kId).ok());
  EXPECT_EQ(Values<int64_t>(0), ids);
  EXPECT_EQ(bytes_done_, gzip.size());
  const std::string zstd = Zstd(whole.substr(0, half)) + Zstd(whole.substr(half));
  ASSERT_TRUE(ReadText("a.jsonl.zst", zstd, kId).ok());
  EXPECT_EQ(Values<int64_t>(0), ids);
  EXPECT_EQ(bytes_total_, zstd.size());

  const std::string lz4 =
      test::Lz4(whole.substr(0, half)) + test::Lz4("") + test::Lz4(whole.substr(half));
  ASSERT_TRUE(ReadText("a.jsonl.lz4", lz4, kId).ok());
  EXPECT_EQ(Values<int64_t>(0), ids);
  EXPECT_EQ(bytes_total_, lz4.size());

  for (const size_t cut : {size_t{1}, size_t{9}, lz4.size() / 2}) {
    const std::string at = "at byte " + std::to_string(lz4.size() - cut);
    EXPECT_REFUSED(ReadText("cut.jsonl.lz4", lz4.substr(0, lz4.size() - cut), kId),
                   StatusCode::kTruncated, "cut.jsonl.lz4: the LZ4 data end early, " + at);
  }
  for (const size_t cut : {size_t{1}, size_t{9}, gzip.size() / 2}) {
    EXPECT_REFUSED(ReadText("cut.jsonl.gz", gzip.substr(0, gzip.size() - cut), kId),
                   StatusCode::kTruncated, "cut.jsonl.gz: the gzip data end early");
  }
  for (const size_t cut : {size_t{1}, zstd.size() / 2}) {
    EXPECT_REFUSED(ReadText("cut.jsonl.zst", zstd.substr(0, zstd.size() - cut), kId),
                   StatusCode::kTruncated, "the zstd data end early");
  }
  std::string damaged = gzip;
  damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
  EXPECT_EQ(ReadText("d.jsonl.gz", damaged, kId).code(), kBad);
  const auto near = [](const std::string& text, const char* name) {
    return std::string("damaged ") + name + " data near byte " + std::to_string(text.size());
  };
  EXPECT_REFUSED(ReadText("d.jsonl.gz", gzip + "trailing", kId), kBad,
                 "damaged gzip data near byte");
  EXPECT_REFUSED(ReadText("d.jsonl.zst", zstd + "trailing", kId), kBad, near(zstd, "zstd"));
  EXPECT_REFUSED(ReadText("d.jsonl.lz4", lz4 + "trailing", kId), kBad, near(lz4, "LZ4"));
  damaged = lz4;
  damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
  EXPECT_EQ(ReadText("d.jsonl.lz4", damaged, kId).code(), kBad);
  EXPECT_REFUSED(ReadText("plain.jsonl.lz4", text, kId), kBad, "the bytes are not LZ4 data");
}

TEST_F(TextInputTest, StandardInputMayBeAPipe) {
  for (const bool compressed : {false, true}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const int saved = ::dup(STDIN_FILENO);
    ASSERT_GE(::dup2(ends[0], STDIN_FILENO), 0);
    ::close(ends[0]);
    const std::string plain = "{\"id\":1}\n{\"id\":2}\n{\"id\":\n";
    const std::string bytes = compressed ? Gzip(plain) : plain;
    // Byte by byte, as slow writers do.
    std::thread writer([&] {
      for (const char c : bytes) {
        if (::write(ends[1], &c, 1) != 1) break;
      }
      ::close(ends[1]);
    });
    EXPECT_REFUSED(Read("-", MakeSchema(kId)), kBad, "standard input:3:7");
    writer.join();
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
    EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(bytes_total_, 0U);
  }
}

}  // namespace
}  // namespace dsi
