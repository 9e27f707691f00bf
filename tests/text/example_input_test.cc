// TFRecord of tf.Example: framing, checksums, forms of lists, hostile bytes, inference.
#include <random>

#include "dsi/tests/text/example_text.h"
#include "dsi/tests/text/text_fixture.h"
#include "dsi/text/example/example_message_internal.h"

namespace dsi {
namespace {

using namespace test;  // NOLINT: the writers above.
constexpr StatusCode kBad = StatusCode::kBadInput;
constexpr char kFeatures[] = R"({"name": "id", "kind": "key"}, {"name": "l", "kind": "list"},
    {"name": "f", "kind": "list", "type": "float32"}, {"name": "s", "kind": "string"},
    {"name": "x", "kind": "dense", "type": "float32"})";

class ExampleInputTest : public test::TextTest {
 protected:
  Status ReadRecords(std::string_view bytes, const TextInputOptions& options = {}) {
    return ReadText("r.tfrecord", bytes, kFeatures, options);
  }
  std::string Infer(std::string_view bytes) {
    const auto schema = InferSchema(Write("i.tfrecord", bytes), {}, &report_);
    if (!schema.ok()) return schema.status().message();
    std::string out;
    for (const FeatureSpec& feature : schema->features) {
      out += (out.empty() ? "" : ", ") + feature.name + " " + std::string(KindName(feature.kind)) +
             " " + std::string(TypeName(feature.columns[0].type));
    }
    return out;
  }
  InferReport report_;
};

TEST(Crc32c, KnownSums) {
  EXPECT_EQ(internal::Crc32c(""), 0U);
  EXPECT_EQ(internal::Crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(internal::Crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720, B.4.
  EXPECT_EQ(internal::Crc32c(std::string(32, '\xff')), 0x62a8ab43U);
}

TEST_F(ExampleInputTest, ReadsEveryForm) {
  const std::string rows =
      Record(Example(Entry("id", IntList({7})) + Entry("l", IntList({1, -2, INT64_MIN})) +
                     Entry("f", FloatList({0.5F, -0.0F})) + Entry("s", BytesList({"word"})) +
                     Entry("x", FloatList({2.5F})))) +
      Record(Example(Entry("l", IntList({5, 6}, false)) + Entry("f", FloatList({1.5F}, false)) +
                     Entry("id", IntList({8}, false)) + Entry("s", "") +
                     Entry("x", IntList({3})))) +
      Record("") +  // A row without a feature.
      Record(Example(Entry("l", IntList({})) + Entry("id", IntList({})) +
                     // Fields that a newer writer may add.
                     Varint(9 << 3) + Varint(300) + Delimited(8, "later")) +
             Delimited(5, "more"));
  ASSERT_TRUE(ReadRecords(rows).ok());
  EXPECT_EQ(batch_->num_rows(), 4U);
  EXPECT_EQ(Values<int64_t>(0), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(Values<int64_t>(1), (std::vector<int64_t>{1, -2, INT64_MIN, 5, 6}));
  EXPECT_EQ(Values<float>(2), (std::vector<float>{0.5F, -0.0F, 1.5F}));
  EXPECT_EQ(Text(3), "word");
  EXPECT_EQ(lines_done_, 4U);
  ASSERT_TRUE(ReadText("r.tfrecord.gz", Gzip(rows), kFeatures).ok());
  EXPECT_EQ(batch_->num_rows(), 4U);
}

TEST_F(ExampleInputTest, DamageHasAPlace) {
  const std::string row = Record(Example(Entry("id", IntList({7}))));
  std::string bytes = row + row + row;
  for (size_t cut = 1; cut < row.size(); ++cut) {
    EXPECT_REFUSED(ReadRecords(std::string_view(bytes).substr(0, bytes.size() - cut)),
                   StatusCode::kTruncated, "r.tfrecord:3: the record at byte ");
    EXPECT_EQ(batch_->num_rows(), 2U);
  }
  for (size_t at = row.size(); at < 2 * row.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    const Status status = ReadRecords(damaged);
    EXPECT_REFUSED(status, kBad, "damaged TFRecord data at byte " + std::to_string(row.size()));
    // The next record is known to begin where the length says, if that is sound.
    int bad = 0;
    TextInputOptions options;
    options.on_bad_row = [&bad](const BadRow& bad_row) {
      EXPECT_EQ(bad_row.line, 2U);
      ++bad;
      return Status();
    };
    const Status skipped = ReadRecords(damaged, options);
    EXPECT_EQ(skipped.ok(), at - row.size() >= 12);
    if (skipped.ok()) EXPECT_EQ(batch_->num_rows(), 2U);
    EXPECT_EQ(bad, skipped.ok() ? 1 : 0);
  }
}

TEST_F(ExampleInputTest, LengthsAreNotBelieved) {
  for (const uint64_t length : {1ULL << 20, 1ULL << 60, ~0ULL}) {
    const std::string head = Little<uint64_t>(length);
    const Status status = ReadRecords(head + Little(internal::MaskedCrc32c(head)) + "few");
    EXPECT_EQ(status.code(),
              length == 1ULL << 20 ? StatusCode::kTruncated : StatusCode::kResourceExhausted);
  }
  const auto refused = [this](const std::string& message, const char* part) {
    EXPECT_REFUSED(ReadRecords(Record(message)), kBad, part);
  };
  refused(Varint(1 << 3 | 2) + Varint(~0ULL), "bytes, and 0 are left");
  refused(std::string(11, '\xff'), "a number that does not end");
  refused(std::string(9, '\xff') + '\x02', "beyond 64 bits");
  refused("\x0b", "a wire type that tf.Example has not");
  refused(std::string("\x02\0", 2), "a field of number 0");
  refused(Example(Entry("\xff", IntList({1}))), "a name that is not valid UTF-8");
  refused(Example(Entry("id", IntList({1})) + Entry("id", IntList({1}))), "\"id\" stands twice");
  refused(Example(Entry("id", IntList({1}) + FloatList({1}))), "two lists of values");
  refused(Example(Entry("f", Delimited(2, Delimited(1, "123")))), "no multiple of 4");
  refused(Example(Entry("f", Delimited(2, Varint(1 << 3) + Varint(1)))), "another wire type");
}

TEST_F(ExampleInputTest, ValuesThatDoNotFit) {
  const auto refused = [this](const std::string& entry, const char* part) {
    EXPECT_REFUSED(ReadRecords(Record(Example(entry))), kBad, part);
  };
  refused(Entry("id", IntList({1, 2})),
          "r.tfrecord:1: feature \"id\": found 2 values, expected one");
  refused(Entry("id", BytesList({"a"})), "found bytes, expected numbers of type int64");
  refused(Entry("s", IntList({1})), "found a number, expected bytes");
  refused(Entry("s", BytesList({"\xff"})), "not valid UTF-8");
  refused(Entry("l", BytesList({"a", "b"})),
          "feature \"l\": found 2 texts, expected numbers of type int64 (\"hashed\" in");
  refused(Entry("s", BytesList({"a", "b"})), "feature \"s\": found 2 texts, expected one");
  refused(Entry("l", FloatList({0.5F})), "r.tfrecord:1");
  refused(Entry("f", IntList({16'777'217})), "found the entry 16777217");
  refused(Entry("new", IntList({1})), "\"new\" is no feature of the schema");
  EXPECT_TRUE(ReadRecords(Record(Example(Entry("new", IntList({}))))).ok());
  EXPECT_TRUE(
      ReadRecords(Record(Example(Entry("new", IntList({1})))), {.ignore_unknown = true}).ok());
}

TEST_F(ExampleInputTest, Inference) {
  const std::string rows =
      Record(Example(Entry("session_id", IntList({7})) + Entry("l", IntList({1})) +
                     Entry("f", FloatList({0.5F})) + Entry("s", BytesList({"word"})) +
                     Entry("none", "") + Entry("at", BytesList({"2024-05-01"})))) +
      Record(Example(Entry("session_id", IntList({7})) + Entry("l", IntList({1, 2})) +
                     Entry("f", FloatList({})) + Entry("g", FloatList({1, 2}))));
  EXPECT_EQ(
      Infer(rows),
      "session_id key int64, l list int64, f dense float32, s string bytes, at timestamp int64, "
      "g list float32");
  EXPECT_EQ(report_.dropped, (std::vector<std::string>{"none"}));
  const auto schema = InferSchema(folder_.File("i.tfrecord"));
  EXPECT_TRUE(Read(folder_.File("i.tfrecord"), std::make_shared<const Schema>(*schema)).ok());
  EXPECT_NE(Infer(Record(Example(Entry("s", BytesList({"a", "\xff"}))))).find("takes any bytes"),
            std::string::npos);
  EXPECT_NE(Infer(Record(Example(Entry("s", BytesList({"a"})))) +
                  Record(Example(Entry("s", IntList({1})))))
                .find("expected one kind of value"),
            std::string::npos);
}

TEST(ExampleParser, RandomMessagesComeBack) {
  std::mt19937_64 random(5);
  internal::ExampleParser parser;
  for (int round = 0; round < 2000; ++round) {
    std::string entries;
    std::vector<std::vector<int64_t>> lists(random() % 5);
    for (size_t i = 0; i < lists.size(); ++i) {
      lists[i].resize(random() % 6);
      for (int64_t& value : lists[i]) value = static_cast<int64_t>(random() >> (random() % 64));
      entries += Entry("n" + std::to_string(i), IntList(lists[i], random() % 2 == 0));
    }
    ASSERT_TRUE(parser.Parse(Example(entries)).ok());
    ASSERT_EQ(parser.features().size(), lists.size());
    for (size_t i = 0; i < lists.size(); ++i) {
      const auto found = parser.Ints(parser.features()[i]);
      EXPECT_EQ(std::vector<int64_t>(found.begin(), found.end()), lists[i]);
    }
  }
}

}  // namespace
}  // namespace dsi
