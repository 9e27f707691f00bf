// Streams: every struct is released once, whatever happens; errors come with the words of who made
// them.
#include <cerrno>

#include "dsi/reader/reader.h"
#include "dsi/tests/arrow/arrow_input_fixture.h"

namespace dsi::arrow_input_test {
namespace {

// Copies of tables as a stream, and how often each was given and released.
struct Source {
  std::deque<ArrowTable> tables;
  size_t next = 0;
  int error = 0;  // Of the call after the tables.
  int schema_error = 0;
  const char* words = "the socket is gone";
  int given = 0;
  int released = 0;
  int streams_released = 0;

  ArrowArrayStream Stream() {
    ArrowArrayStream stream{};
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      return Of(self)->GetSchema(out);
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      return Of(self)->GetNext(out);
    };
    stream.get_last_error = [](ArrowArrayStream* self) { return Of(self)->words; };
    stream.release = [](ArrowArrayStream* self) {
      ++Of(self)->streams_released;
      self->release = nullptr;
    };
    stream.private_data = this;
    return stream;
  }

 private:
  static Source* Of(const ArrowArrayStream* stream) {
    return static_cast<Source*>(stream->private_data);
  }

  template <typename T>
  void Give(const T& from, T* out) {
    *out = from;
    out->private_data = this;
    out->release = [](T* self) {
      ++static_cast<Source*>(self->private_data)->released;
      self->release = nullptr;
    };
    ++given;
  }
  int GetSchema(ArrowSchema* out) {
    // What stands there after an error is nobody's business.
    if (schema_error != 0) out->release = [](ArrowSchema*) { std::abort(); };
    if (schema_error == 0) Give(*tables[0].schema(), out);
    return schema_error;
  }
  int GetNext(ArrowArray* out) {
    EXPECT_EQ(out->release, nullptr);
    if (next < tables.size()) {
      Give(*tables[next++].array(), out);
      return 0;
    }
    if (error != 0) out->release = [](ArrowArray*) { std::abort(); };
    return error;
  }
};

class ArrowStreamTest : public ::testing::Test {
 protected:
  void Add(const std::vector<std::optional<int64_t>>& values) {
    source_.tables.emplace_back(std::vector<ArrowNode>{Numbers<int64_t>("ts", "l", values)});
  }
  void TearDown() override {
    EXPECT_EQ(source_.given, source_.released);
    EXPECT_EQ(source_.streams_released, 1);
  }
  std::unique_ptr<ArrowStream> Open() {
    ArrowArrayStream stream = source_.Stream();
    auto opened = ArrowStream::Open(&stream);
    EXPECT_EQ(stream.release, nullptr);
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return *std::move(opened);
  }
  std::unique_ptr<Writer> Create(Schema schema) {
    auto writer = Writer::Create(CreateMemoryFile(&bytes_, "memory"), std::move(schema));
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    return *std::move(writer);
  }

  Source source_;
  std::vector<std::byte> bytes_;
};

TEST_F(ArrowStreamTest, AllRowsAreWritten) {
  Add({1'700'000'000, std::nullopt});
  Add({});
  Add({3});
  const auto stream = Open();
  Result<Schema> schema = stream->InferSchema();
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_EQ(schema->features[0].kind, Kind::kTimestamp);
  const auto writer = Create(*schema);
  std::vector<uint64_t> seen;
  const auto report =
      AppendStream(stream.get(), writer.get(), {.input = {}, .progress = [&](uint64_t rows) {
                                                  seen.push_back(rows);
                                                  return true;
                                                }});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_rows, 3U);
  EXPECT_EQ(seen, (std::vector<uint64_t>{2, 2, 3}));
  // The end stays the end.
  const auto after = stream->Next();
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(*after, nullptr);
  ASSERT_TRUE(writer->Finish().ok());
  const auto reader = Reader::Open(OpenMemoryFile(bytes_, "memory"));
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->info().num_rows, 3U);
}

TEST_F(ArrowStreamTest, ErrorsOfTheStream) {
  Add({1});
  source_.error = EIO;
  const auto stream = Open();
  const auto writer = Create(*SchemaOf(R"({"name": "ts", "kind": "dense", "type": "int64"})"));
  const auto report = AppendStream(stream.get(), writer.get());
  EXPECT_REFUSED(report.status(), StatusCode::kIo, "the socket is gone");
  EXPECT_EQ(writer->num_rows(), 1U);
  // It is not asked again.
  source_.error = 0;
  EXPECT_REFUSED(stream->Next().status(), StatusCode::kIo, "the socket is gone");
}

TEST_F(ArrowStreamTest, CodesOfErrors) {
  Add({1});
  source_.words = nullptr;
  source_.tables.clear();
  source_.schema_error = ENOMEM;
  ArrowArrayStream stream = source_.Stream();
  EXPECT_REFUSED(ArrowStream::Open(&stream).status(), StatusCode::kResourceExhausted,
                 "Arrow stream: ");
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_REFUSED(ArrowStream::Open(&stream).status(), StatusCode::kInvalidArgument, "released");
  EXPECT_REFUSED(ArrowStream::Open(nullptr).status(), StatusCode::kInvalidArgument,
                 "no Arrow stream");
}

TEST_F(ArrowStreamTest, CancelledByTheStream) {
  Add({1});
  source_.next = 1;
  source_.error = ECANCELED;
  EXPECT_EQ(Open()->Next().status().code(), StatusCode::kCancelled);
}

TEST_F(ArrowStreamTest, CancelledByProgress) {
  Add({1});
  Add({2});
  const auto stream = Open();
  const auto writer = Create(*SchemaOf(R"({"name": "ts", "kind": "dense", "type": "int64"})"));
  EXPECT_REFUSED(AppendStream(stream.get(), writer.get(),
                              {.input = {}, .progress = [](uint64_t) { return false; }})
                     .status(),
                 StatusCode::kCancelled, "cancelled");
  EXPECT_EQ(writer->num_rows(), 1U);
  EXPECT_REFUSED(AppendStream(nullptr, writer.get()).status(), StatusCode::kInvalidArgument,
                 "no stream");
  EXPECT_REFUSED(AppendStream(stream.get(), nullptr).status(), StatusCode::kInvalidArgument,
                 "no writer");
}

TEST_F(ArrowStreamTest, RefusedRowsAreReleasedToo) {
  Add({1, 2});
  Add({3, 300});
  const auto stream = Open();
  const auto writer = Create(*SchemaOf(R"({"name": "ts", "kind": "dense", "type": "int8"})"));
  EXPECT_REFUSED(AppendStream(stream.get(), writer.get()).status(), StatusCode::kOutOfRange,
                 "row 3: found 300");
  EXPECT_EQ(writer->num_rows(), 2U);
}

TEST_F(ArrowStreamTest, StreamsWithoutFunctionsOrSchema) {
  Add({1});
  ArrowArrayStream stream = source_.Stream();
  stream.get_next = nullptr;
  EXPECT_REFUSED(ArrowStream::Open(&stream).status(), StatusCode::kInvalidArgument,
                 "without its functions");
}

TEST_F(ArrowStreamTest, ASchemaThatWasReleased) {
  ArrowArrayStream stream = source_.Stream();
  stream.get_schema = [](ArrowArrayStream*, ArrowSchema*) { return 0; };
  EXPECT_REFUSED(ArrowStream::Open(&stream).status(), StatusCode::kBadInput, "without a schema");
}

}  // namespace
}  // namespace dsi::arrow_input_test
