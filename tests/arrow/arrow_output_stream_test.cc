// Streams of Arrow arrays: their end, their errors, datasets, and how long memory lives.
#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "dsi/arrow/arrow_output.h"
#include "dsi/tests/arrow/arrow_output_table.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/support/fail_each.h"
#include "dsi/tests/support/memory_hook.h"

namespace dsi::test {
namespace {

constexpr ArrowOutputOptions kDictionaries{.dictionaries = true};

OwnedArrow<ArrowArray> NextOf(ArrowArrayStream* stream) {
  OwnedArrow<ArrowArray> array;
  const int code = stream->get_next(stream, array.get());
  EXPECT_EQ(code, 0) << stream->get_last_error(stream);
  return array;
}

TEST(ArrowOutputStreamTest, TheEndIsAReleasedArrayEachTime) {
  const auto reader = OpenShared(SampleFile(10));
  ASSERT_TRUE(reader.ok());
  OwnedArrow<ArrowArrayStream> stream;
  ASSERT_TRUE(StreamOf(*reader, {}, {}, {.batch_size = 7}, stream.get()).ok());
  EXPECT_EQ(NextOf(stream.get())->length, 7);
  EXPECT_EQ(NextOf(stream.get())->length, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(NextOf(stream.get())->release, nullptr);
  EXPECT_EQ(stream->get_last_error(stream.get()), nullptr);
  OwnedArrow<ArrowSchema> schema;
  EXPECT_EQ(stream->get_schema(stream.get(), schema.get()), 0);
}

TEST(ArrowOutputStreamTest, ArraysOutliveStreamScanAndReader) {
  for (const ArrowOutputOptions& options : {ArrowOutputOptions(), kDictionaries}) {
    OwnedArrow<ArrowSchema> schema;
    std::vector<OwnedArrow<ArrowArray>> batches;
    TextColumns before;
    {
      auto reader = OpenShared(SampleFile(50, 16));
      ASSERT_TRUE(reader.ok());
      OwnedArrow<ArrowArrayStream> stream;
      ASSERT_TRUE(StreamOf(*reader, {}, options, {.batch_size = 20}, stream.get()).ok());
      ASSERT_EQ(stream->get_schema(stream.get(), schema.get()), 0);
      for (int i = 0; i < 2; ++i) batches.push_back(NextOf(stream.get()));
      for (auto& batch : batches) AppendTexts(*schema, *batch, &before);
    }
    TextColumns after;
    for (auto& batch : batches) AppendTexts(*schema, *batch, &after);
    EXPECT_EQ(before, after);
    EXPECT_EQ(after.at("query").at(39), "q6");
  }
}

TEST(ArrowOutputStreamTest, ChildrenMovedOutKeepTheirMemory) {
  OwnedArrow<ArrowSchema> schema;
  std::vector<OwnedArrow<ArrowSchema>> fields;
  std::vector<OwnedArrow<ArrowArray>> columns;
  std::vector<std::vector<std::string>> before;
  {
    auto reader = OpenShared(SampleFile(64));
    ASSERT_TRUE(reader.ok());
    OwnedArrow<ArrowArrayStream> stream;
    ASSERT_TRUE(StreamOf(*reader, {}, kDictionaries, {}, stream.get()).ok());
    ASSERT_EQ(stream->get_schema(stream.get(), schema.get()), 0);
    OwnedArrow<ArrowArray> batch = NextOf(stream.get());
    for (int64_t i = 0; i < batch->n_children; ++i) {
      before.push_back(RowTexts(*schema->children[i], *batch->children[i]));
      columns.emplace_back(batch->children[i]);
      fields.emplace_back(schema->children[i]);
      EXPECT_EQ(batch->children[i]->release, nullptr);
    }
  }
  schema.Release();
  // A child of a child, and a dictionary of one.
  OwnedArrow<ArrowArray> dictionary(columns[4]->dictionary);
  OwnedArrow<ArrowArray> entries(dictionary->children[0]);
  const auto clicks = NumberAt("l", entries->buffers[1], 0);
  columns[4].Release();
  dictionary.Release();
  EXPECT_EQ(NumberAt("l", entries->buffers[1], 0), clicks);
  entries.Release();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i == 4) continue;
    EXPECT_EQ(RowTexts(*fields[i], *columns[i]), before[i]);
  }
  for (auto& column : columns) threads.emplace_back([&column] { column.Release(); });
  for (std::thread& thread : threads) thread.join();
}

TEST(ArrowOutputStreamTest, ABatchIsHeldUntilItsArraysAreReleased) {
  const auto reader = OpenShared(SampleFile(30));
  ASSERT_TRUE(reader.ok());
  const auto columns = *(*reader)->Columns();
  auto scan = (*reader)->NewScan({.features = *ArrowProjections(columns)});
  ASSERT_TRUE(scan.ok());
  auto batch = std::make_shared<Batch>();
  ASSERT_TRUE(*(*scan)->Next(batch.get()));
  const auto output = ArrowOutput::Make((*scan)->columns(), columns);
  ASSERT_TRUE(output.ok());
  OwnedArrow<ArrowArray> array;
  OwnedArrow<ArrowSchema> schema;
  ASSERT_TRUE(output->ExportSchema(schema.get()).ok());
  ASSERT_TRUE(output->ExportBatch(batch, array.get()).ok());
  EXPECT_EQ(batch.use_count(), 2);
  // Nothing was copied.
  EXPECT_EQ(array->children[0]->buffers[1], batch->Padded("session_id")->values);
  const auto clicks = batch->Jagged("user.clicks");
  EXPECT_EQ(array->children[4]->buffers[1], clicks->offsets);
  EXPECT_EQ(array->children[4]->children[0]->buffers[1], clicks->values);
  TextColumns texts;
  AppendTexts(*schema, *array, &texts);
  EXPECT_EQ(texts.at("user.age").at(0), "null");
  OwnedArrow<ArrowArray> child(array->children[3]);
  array.Release();
  EXPECT_EQ(batch.use_count(), 2);
  child.Release();
  EXPECT_EQ(batch.use_count(), 1);
}

TEST(ArrowOutputStreamTest, KeepAliveLivesAsLongAsTheScan) {
  const auto reader = OpenShared(SampleFile(10));
  ASSERT_TRUE(reader.ok());
  OwnedArrow<ArrowArrayStream> stream;
  ASSERT_TRUE(StreamOf(*reader, {}, {}, {}, stream.get()).ok());
  EXPECT_EQ(reader->use_count(), 2);
  const OwnedArrow<ArrowArray> batch = NextOf(stream.get());
  EXPECT_EQ(reader->use_count(), 2);
  EXPECT_EQ(NextOf(stream.get())->release, nullptr);
  EXPECT_EQ(reader->use_count(), 1);
  stream.Release();
  ASSERT_TRUE(StreamOf(*reader, {}, {}, {}, stream.get()).ok());
  EXPECT_EQ(reader->use_count(), 2);
  stream.Release();
  EXPECT_EQ(reader->use_count(), 1);
}

TEST(ArrowOutputStreamTest, WhatWasReleasedIsFilledAgain) {
  const auto reader = OpenShared(SampleFile(20'000));
  ASSERT_TRUE(reader.ok());
  for (const ArrowOutputOptions& options : {ArrowOutputOptions(), kDictionaries}) {
    OwnedArrow<ArrowArrayStream> stream;
    ASSERT_TRUE(StreamOf(*reader, {}, options, {.batch_size = 100}, stream.get()).ok());
    // Two are held at a time.
    OwnedArrow<ArrowArray> held = NextOf(stream.get());
    std::vector<const void*> slabs;
    slabs.reserve(80);
    for (int i = 0; i < 100; ++i) held = NextOf(stream.get());
    const AllocationCount allocations;
    for (int i = 0; i < 80; ++i) {
      held = NextOf(stream.get());
      slabs.push_back(held->children[0]->buffers[1]);
    }
    EXPECT_EQ(allocations.get(), 0U);
    EXPECT_EQ(std::set<const void*>(slabs.begin(), slabs.end()).size(), 2U);
  }
}

TEST(ArrowOutputStreamTest, ArraysAreReleasedWhileOthersAreMade) {
  const auto reader = OpenShared(SampleFile(4000));
  ASSERT_TRUE(reader.ok());
  const TextColumns expected = *ReadTexts(*reader, {}, kDictionaries);
  OwnedArrow<ArrowArrayStream> stream;
  OwnedArrow<ArrowSchema> schema;
  ASSERT_TRUE(StreamOf(*reader, {}, kDictionaries, {.batch_size = 50}, stream.get()).ok());
  ASSERT_EQ(stream->get_schema(stream.get(), schema.get()), 0);
  // Each batch is read and released by a thread of its own, while the next is made.
  std::vector<TextColumns> texts(80);
  std::vector<std::thread> threads;
  for (TextColumns& text : texts) {
    threads.emplace_back([&text, &schema, batch = NextOf(stream.get())]() mutable {
      AppendTexts(*schema, *batch, &text);
      OwnedArrow<ArrowArray> first(batch->children[0]);
      batch.Release();
    });
    if (threads.size() % 4 == 0) {
      for (std::thread& thread : threads) thread.join();
      threads.clear();
    }
  }
  stream.Release();
  TextColumns all;
  for (const TextColumns& text : texts) {
    for (const auto& [name, rows] : text)
      all[name].insert(all[name].end(), rows.begin(), rows.end());
  }
  EXPECT_EQ(all, expected);
}

TEST(ArrowOutputStreamTest, AnyAllocationMayFail) {
  const auto reader = OpenShared(SampleFile(60));
  ASSERT_TRUE(reader.ok());
  const auto columns = *(*reader)->Columns();
  for (const ArrowOutputOptions& options : {ArrowOutputOptions(), kDictionaries}) {
    // Statuses come through the stream as codes.
    const auto status_of = [](int code) {
      EXPECT_TRUE(code == 0 || code == ENOMEM) << code;
      return code == 0 ? Status() : Status(StatusCode::kResourceExhausted, "");
    };
    FailEach("stream", [&]() -> Status {
      OwnedArrow<ArrowArrayStream> stream;
      OwnedArrow<ArrowSchema> schema;
      DSI_RETURN_IF_ERROR(StreamOf(*reader, {}, options, {.batch_size = 20}, stream.get()));
      DSI_RETURN_IF_ERROR(status_of(stream->get_schema(stream.get(), schema.get())));
      OwnedArrow<ArrowArray> array;
      do {
        array.Release();
        DSI_RETURN_IF_ERROR(status_of(stream->get_next(stream.get(), array.get())));
      } while (array->release != nullptr);
      return Status::Ok();
    });
    auto scan = (*reader)->NewScan({.features = *ArrowProjections(columns, {}, options)});
    ASSERT_TRUE(scan.ok());
    auto batch = std::make_shared<Batch>();
    ASSERT_TRUE(*(*scan)->Next(batch.get()));
    const auto output = ArrowOutput::Make((*scan)->columns(), columns, options);
    FailEach("batch", [&] {
      OwnedArrow<ArrowArray> array;
      return output->ExportBatch(batch, array.get());
    });
    EXPECT_EQ(batch.use_count(), 1);
  }
  EXPECT_EQ(reader->use_count(), 1);
}

TEST(ArrowOutputStreamTest, TextThatIsNotUtf8) {
  Schema schema;
  schema.features = {Feature("word", Kind::kString, {{"", Type::kBytes, ""}})};
  // Together the last two are a character.
  const std::vector<std::string> words = {"a\xC3\xA9", "", "x", "\xC3", "\xA9"};
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "words"), schema, {.threads = 1});
  ASSERT_TRUE(writer.ok());
  RowBatch rows((*writer)->schema());
  for (const std::string& word : words) {
    ASSERT_TRUE(rows.SetBytes(0, word).ok());
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  const auto reader = OpenShared(bytes);
  ASSERT_TRUE(reader.ok());
  for (const Layout layout : {Layout::kJagged, Layout::kIkjt}) {
    ScanOptions scan_options;
    scan_options.batch_size = 3;
    scan_options.features = {{.name = "word", .layout = layout}};
    const auto binary = ReadTexts(*reader, {}, {.binary = true}, scan_options);
    ASSERT_TRUE(binary.ok());
    EXPECT_EQ(binary->at("word"), words);
    OwnedArrow<ArrowArrayStream> stream;
    ASSERT_TRUE(StreamOf(*reader, {}, {}, scan_options, stream.get()).ok());
    OwnedArrow<ArrowSchema> field;
    ASSERT_EQ(stream->get_schema(stream.get(), field.get()), 0);
    const OwnedArrow<ArrowArray> first = NextOf(stream.get());
    for (int i = 0; i < 2; ++i) {
      ArrowArray next;
      EXPECT_EQ(stream->get_next(stream.get(), &next), ERANGE);
      EXPECT_EQ(next.release, nullptr);
      EXPECT_STREQ(stream->get_last_error(stream.get()),
                   "out of range: column word, row 3: its bytes are not UTF-8; binary columns hold "
                   "any");
    }
  }
}

TEST(ArrowOutputStreamTest, AFailedScanKeepsFailing) {
  std::vector<std::byte> bytes = SampleFile(4000, 1000);
  {
    const auto reader = OpenShared(bytes);
    ASSERT_TRUE(reader.ok());
    const StripeInfo& last = (*reader)->stripes().back();
    for (uint64_t i = 0; i < last.bytes; ++i) bytes[last.offset + i] ^= std::byte{0x55};
  }
  const auto reader = OpenShared(bytes);
  ASSERT_TRUE(reader.ok());
  OwnedArrow<ArrowArrayStream> stream;
  ASSERT_TRUE(StreamOf(*reader, {}, {}, {.batch_size = 500}, stream.get()).ok());
  OwnedArrow<ArrowArray> last;
  for (int i = 0; i < 2; ++i) last = NextOf(stream.get());
  std::string error;
  int failures = 0;
  for (int i = 0; i < 12; ++i) {
    ArrowArray next;
    const int code = stream->get_next(stream.get(), &next);
    if (code == 0) {
      ASSERT_EQ(failures, 0);
      last = OwnedArrow<ArrowArray>(&next);
      continue;
    }
    EXPECT_EQ(code, EIO);
    EXPECT_EQ(next.release, nullptr);
    if (failures++ == 0) error = stream->get_last_error(stream.get());
    EXPECT_EQ(stream->get_last_error(stream.get()), error);
  }
  EXPECT_GT(failures, 1);
  EXPECT_TRUE(error.starts_with("corrupt: ")) << error;
  EXPECT_EQ(last->length, 500);
  EXPECT_EQ(reader->use_count(), 1);
}

class DatasetOutputTest : public testing::Test {
 protected:
  void Open() {
    auto opened = Dataset::Open(folder_.path());
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    dataset_ = *std::move(opened);
    columns_ = *dataset_->Columns();
  }
  TextColumns Read(const DatasetScanOptions& options) {
    auto scan = dataset_->NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    const auto output = ArrowOutput::Make((*scan)->columns(), columns_);
    EXPECT_TRUE(output.ok()) << output.status().ToString();
    OwnedArrow<ArrowArrayStream> stream;
    EXPECT_TRUE(output->ExportStream(*std::move(scan), dataset_, stream.get()).ok());
    return ReadStream(stream.get());
  }

  DatasetFolder folder_;
  std::shared_ptr<Dataset> dataset_;
  std::vector<ColumnInfo> columns_;
};

TEST_F(DatasetOutputTest, BatchesWithoutRowsAreLeftOut) {
  folder_.PutRows("a.dsi", 0, 100);
  folder_.PutRows("b.dsi", 100, 50);
  Open();
  DatasetScanOptions options;
  options.scan.features = *ArrowProjections(columns_);
  options.scan.batch_size = 20;
  TextColumns texts = Read(options);
  ASSERT_EQ(texts.at("key").size(), 150U);
  EXPECT_EQ(texts.at("key").at(120), "120");
  EXPECT_EQ(texts.at("score").at(3), "1.5");
  options.scan.filter.where = {{"key", Compare::kGreater, int64_t{110}}};
  texts = Read(options);
  ASSERT_EQ(texts.at("key").size(), 39U);
  EXPECT_EQ(texts.at("key").at(0), "111");
}

TEST_F(DatasetOutputTest, MissingColumnsAreNullAndTypesWide) {
  Schema schema = SmallSchema();
  schema.features[0].columns[0].type = Type::kInt32;
  folder_.PutRows("a.dsi", 0, 3, schema);
  schema = SmallSchema();
  schema.features.push_back(OneColumn("tags", Kind::kList, Type::kInt16));
  folder_.PutRows("b.dsi", 3, 2, schema);
  Open();
  DatasetScanOptions options;
  options.scan.features = *ArrowProjections(columns_);
  const TextColumns texts = Read(options);
  EXPECT_EQ(texts.at("key"), (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(texts.at("tags"), (std::vector<std::string>{"null", "null", "null", "[3,4]", "[4,5]"}));
}

TEST_F(DatasetOutputTest, OutputsOfAPipelineAreColumns) {
  Schema schema = SmallSchema();
  schema.features.push_back(OneColumn("tags", Kind::kList, Type::kInt64));
  folder_.PutRows("a.dsi", 0, 4, schema);
  Open();
  DatasetScanOptions options;
  options.pipeline.steps.push_back(
      {.output = "first", .op = TransformOp::kFirstX, .inputs = {"tags"}, .n = 1});
  options.pipeline.outputs = {"first"};
  options.scan.features = {{.name = "first", .layout = Layout::kJagged},
                           {.name = "key", .width = 1}};
  const TextColumns texts = Read(options);
  EXPECT_EQ(texts.at("first"), (std::vector<std::string>{"[0]", "[1]", "[2]", "[3]"}));
  EXPECT_EQ(texts.at("key").at(3), "3");
}

}  // namespace
}  // namespace dsi::test
