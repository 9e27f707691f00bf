// Every public call of schema, files and writer with every allocation of it failing in turn, once
// and for ever: an error or success, nothing left behind, and what was there before still there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "dsi/format/schema.h"
#include "dsi/io/file.h"
#include "dsi/tests/support/temp_folder.h"
#include "dsi/tests/support/memory_hook.h"
#include "dsi/text/text_input.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

constexpr std::string_view kSchema = R"({"features": [
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "timestamp", "kind": "timestamp", "unit": "s"},
    {"name": "user.price", "kind": "dense", "type": "float32", "precision": "bf16"},
    {"name": "clicks", "kind": "list", "type": "int64"},
    {"name": "more", "kind": "list", "type": "int64", "id_space": "item"},
    {"name": "query", "kind": "string"}],
    "cluster_by": ["session_id", "timestamp"],
    "groups": [{"name": "session", "features": ["clicks", "more"]}],
    "metadata": {"team": "ads", "note": "a text that is longer than a short string"}})";

// Runs a piece of work with an allocation failing.
using Faulty = std::function<Status(const std::function<Status()>&)>;

// Calls `scene` with each allocation of the work that it runs failing. Allocations are tried with
// growing steps where there are very many.
void FailEach(const std::function<void(const Faulty&)>& scene) {
  for (const bool for_ever : {false, true}) {
    bool failed = true;
    for (uint64_t number = 0; failed; number += 1 + number / 200) {
      const Faulty run = [&](const std::function<Status()>& work) {
        FailAllocation(number, for_ever);
        Status status = work();
        failed = EndFailures();
        if (!failed) {
          EXPECT_TRUE(status.ok()) << status.ToString();
        } else if (!status.ok()) {
          EXPECT_EQ(status.code(), StatusCode::kResourceExhausted)
              << "allocation " << number << ": " << status.ToString();
        }
        return status;
      };
      scene(run);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

template <typename T>
Status StatusOf(const Result<T>& result) {
  return result.status();
}

Schema TestSchema() { return *Schema::FromJson(kSchema); }

// Rows [first, first + count); features are missing here and there.
void Fill(RowBatch* batch, int first, int count) {
  std::mt19937_64 random(static_cast<uint64_t>(first));
  std::vector<int64_t> clicks;
  for (int i = first; i < first + count; ++i) {
    if (i % 8 == 0) {
      clicks.resize(random() % 20);
      for (int64_t& id : clicks) id = static_cast<int64_t>(random() % 500);
    }
    ASSERT_TRUE(batch->SetInt(0, i / 16).ok());
    ASSERT_TRUE(batch->SetInt(1, i).ok());
    if (i % 5 != 4) ASSERT_TRUE(batch->SetDouble(2, static_cast<double>(random() % 64)).ok());
    ASSERT_TRUE(batch->SetInts(3, 0, clicks).ok());
    if (first == 0 || i % 3 != 0) ASSERT_TRUE(batch->SetInts(4, 0, clicks).ok());
    ASSERT_TRUE(batch->SetBytes(5, std::string(random() % 30, 'q')).ok());
    ASSERT_TRUE(batch->EndRow().ok());
  }
}

std::unique_ptr<Writer> NewWriter(std::vector<std::byte>* bytes, int threads = 1,
                                  uint64_t memory_bytes = 0) {
  auto writer =
      Writer::Create(CreateMemoryFile(bytes, "memory"), TestSchema(),
                     {.stripe_rows = 300, .memory_bytes = memory_bytes, .threads = threads});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  return *std::move(writer);
}

// simdjson finds out once in a process which CPU it runs on; that must not fail, and takes memory.
class AllocationFailure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { EXPECT_TRUE(Schema::FromJson(kSchema).ok()); }
};

TEST_F(AllocationFailure, Schema) {
  FailEach([](const Faulty& run) { run([] { return StatusOf(Schema::FromJson(kSchema)); }); });
  const Schema schema = TestSchema();
  FailEach([&](const Faulty& run) { run([&] { return StatusOf(schema.ToJson()); }); });
  FailEach([&](const Faulty& run) { run([&] { return schema.Validate(); }); });
}

TEST_F(AllocationFailure, LocalFiles) {
  const TempFolder folder;
  const std::string path = folder.File("a-name-that-is-longer-than-a-short-string.bin");
  std::vector<std::byte> data(3 << 20);
  FailEach([&](const Faulty& run) {
    std::unique_ptr<WritableFile> file;
    run([&] {
      auto created = CreateLocalFile(path, {.overwrite = true});
      if (created.ok()) file = *std::move(created);
      DSI_RETURN_IF_ERROR(created.status());
      DSI_RETURN_IF_ERROR(file->Append(data));
      return file->Publish();
    });
    file.reset();
    std::error_code error;
    std::filesystem::remove(path, error);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  });
  std::ofstream(path) << "text";
  FailEach([&](const Faulty& run) { run([&] { return StatusOf(OpenLocalFile(path)); }); });
}

TEST_F(AllocationFailure, MemoryFiles) {
  const std::vector<std::byte> data(1000);
  FailEach([&](const Faulty& run) {
    std::vector<std::byte> sink;
    std::vector<std::byte> bytes = data;
    std::string name = "a name that is longer than a short string";
    std::string other = name;
    const Status status = run([&]() -> Status {
      const Status none(StatusCode::kResourceExhausted, "null");
      const auto read = OpenMemoryFile(std::move(bytes), std::move(name));
      if (read == nullptr) return none;
      const auto file = CreateMemoryFile(&sink, std::move(other));
      if (file == nullptr) return none;
      DSI_RETURN_IF_ERROR(file->Append(data));
      return file->Publish();
    });
    EXPECT_EQ(sink.size(), status.ok() ? data.size() : 0);
  });
}

TEST_F(AllocationFailure, Create) {
  const Schema schema = TestSchema();
  FailEach([&](const Faulty& run) {
    std::vector<std::byte> bytes;
    std::unique_ptr<WritableFile> file = CreateMemoryFile(&bytes, "memory");
    Schema copy = schema;
    run([&] { return StatusOf(Writer::Create(std::move(file), std::move(copy))); });
  });
  const TempFolder folder;
  const std::string path = folder.File("out.dsi");
  FailEach([&](const Faulty& run) {
    Schema copy = schema;
    run([&] { return StatusOf(Writer::Create(path, std::move(copy))); });
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  });
}

// A call that fails leaves the row begun as it was, and EndRow drops it.
TEST_F(AllocationFailure, RowByRow) {
  const auto schema = std::make_shared<const Schema>(TestSchema());
  const std::string text(100, 'q');
  const std::vector<int64_t> ids(100, 7);
  FailEach([&](const Faulty& run) {
    RowBatch batch(schema);
    const Status status = run([&] {
      for (int row = 0; row < 3; ++row) {
        DSI_RETURN_IF_ERROR(batch.SetInt(0, 1));
        DSI_RETURN_IF_ERROR(batch.SetDouble(2, 0.5));
        if (row != 1) DSI_RETURN_IF_ERROR(batch.SetInts(3, 0, ids));
        DSI_RETURN_IF_ERROR(batch.SetBytes(5, text));
        DSI_RETURN_IF_ERROR(batch.EndRow());
      }
      return Status::Ok();
    });
    const size_t rows = batch.num_rows();
    if (status.ok()) EXPECT_EQ(rows, 3U);
    batch.DropRow();
    EXPECT_TRUE(batch.SetBytes(5, text).ok());
    EXPECT_TRUE(batch.EndRow().ok());
    EXPECT_EQ(batch.num_rows(), rows + 1);
  });
}

// Rows held, and rows that are spilled when others come.
class AppendFailure : public ::testing::TestWithParam<uint64_t> {};

INSTANTIATE_TEST_SUITE_P(AllocationFailure, AppendFailure, ::testing::Values(0, 9'000));

// What a refused Append leaves behind shows in the bytes of the file.
TEST_P(AppendFailure, IsAllOrNothing) {
  const auto write = [&](const Faulty* run, bool* has_middle) {
    std::vector<std::byte> bytes;
    const std::unique_ptr<Writer> writer = NewWriter(&bytes, 1, GetParam());
    RowBatch first(writer->schema());
    RowBatch middle(writer->schema());
    RowBatch last(writer->schema());
    Fill(&first, 0, 100);
    Fill(&middle, 100, 60);
    Fill(&last, 200, 100);
    EXPECT_TRUE(writer->Append(first).ok());
    if (run != nullptr) *has_middle = (*run)([&] { return writer->Append(middle); }).ok();
    if (run == nullptr && *has_middle) EXPECT_TRUE(writer->Append(middle).ok());
    EXPECT_EQ(writer->num_rows(), *has_middle ? 160U : 100U);
    EXPECT_TRUE(writer->Append(last).ok());
    EXPECT_TRUE(writer->Finish().ok());
    return bytes;
  };
  bool has_middle = false;
  const std::vector<std::byte> without = write(nullptr, &has_middle);
  has_middle = true;
  const std::vector<std::byte> with = write(nullptr, &has_middle);
  FailEach([&](const Faulty& run) {
    bool added = false;
    const std::vector<std::byte> bytes = write(&run, &added);
    EXPECT_EQ(bytes, added ? with : without);
  });
}

TEST_P(AppendFailure, OfColumnsIsAllOrNothing) {
  constexpr size_t kRows = 64;
  const std::vector<int64_t> numbers(kRows, 3);
  std::vector<int32_t> offsets(kRows + 1);
  for (size_t i = 0; i <= kRows; ++i) offsets[i] = static_cast<int32_t>(i);
  const std::vector<uint8_t> validity(kRows / 8, 0x5A);
  FeatureColumns key;
  key.feature = 0;
  key.validity = validity.data();
  key.values = {numbers.data()};
  FeatureColumns list;
  list.feature = 3;
  list.offsets32 = offsets.data();
  list.values = {numbers.data()};
  const std::vector<FeatureColumns> columns = {key, list};
  const auto write = [&](const Faulty* run, bool* added) {
    std::vector<std::byte> bytes;
    const std::unique_ptr<Writer> writer = NewWriter(&bytes, 1, GetParam());
    RowBatch first(writer->schema());
    Fill(&first, 0, 100);
    EXPECT_TRUE(writer->Append(first).ok());
    const uint64_t size = writer->size_bytes();
    if (run != nullptr) *added = (*run)([&] { return writer->AppendColumns(kRows, columns); }).ok();
    if (run == nullptr && *added) EXPECT_TRUE(writer->AppendColumns(kRows, columns).ok());
    EXPECT_EQ(*added, writer->size_bytes() != size);
    EXPECT_TRUE(writer->Append(first).ok());
    EXPECT_TRUE(writer->Finish().ok());
    return bytes;
  };
  bool added = false;
  const std::vector<std::byte> without = write(nullptr, &added);
  added = true;
  const std::vector<std::byte> with = write(nullptr, &added);
  FailEach([&](const Faulty& run) {
    bool has_rows = false;
    const std::vector<std::byte> bytes = write(&run, &has_rows);
    EXPECT_EQ(bytes, has_rows ? with : without);
  });
}

class FinishFailure : public ::testing::TestWithParam<int> {};

TEST_P(FinishFailure, PublishesNothingAndSticks) {
  std::vector<std::byte> whole;
  {
    const std::unique_ptr<Writer> writer = NewWriter(&whole, GetParam());
    RowBatch rows(writer->schema());
    Fill(&rows, 0, 700);
    ASSERT_TRUE(writer->Append(rows).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  FailEach([&](const Faulty& run) {
    std::vector<std::byte> bytes;
    const std::unique_ptr<Writer> writer = NewWriter(&bytes, GetParam());
    RowBatch rows(writer->schema());
    Fill(&rows, 0, 700);
    ASSERT_TRUE(writer->Append(rows).ok());
    const Status status = run([&] { return StatusOf(writer->Finish()); });
    if (status.ok()) {
      EXPECT_EQ(bytes, whole);
    } else {
      EXPECT_TRUE(bytes.empty());
      EXPECT_FALSE(writer->Finish().ok());
      EXPECT_FALSE(writer->Append(rows).ok());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(AllocationFailure, FinishFailure, ::testing::Values(1, 3));

class TextFailure : public ::testing::TestWithParam<const char*> {};

TEST_P(TextFailure, ReadsOrSaysSo) {
  const TempFolder folder;
  const std::string path = folder.File(GetParam());
  const bool is_json = path.find(".jsonl") != path.npos;
  std::ostringstream text;
  if (!is_json) text << "session_id,timestamp,query\n";
  for (int i = 0; i < 300; ++i) {
    if (is_json) {
      text << R"({"session_id":)" << i / 7 << R"(,"timestamp":1700000)" << 100 + i
           << R"(,"user":{"price":0.5},"clicks":[1,2,3],"query":"a longer text than a short one"})"
           << "\n";
    } else {
      text << i / 7 << ",1700000" << 100 + i << ",a longer text than a short one\n";
    }
  }
  std::ofstream(folder.File("plain")) << text.str();
  const std::string plain = folder.File("plain");
  const std::string command = path.ends_with(".gz")    ? "gzip -c '" + plain + "' > '" + path + "'"
                              : path.ends_with(".zst") ? "zstd -qc '" + plain + "' > '" + path + "'"
                                                       : "cp '" + plain + "' '" + path + "'";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no " << command;
  FailEach([&](const Faulty& run) { run([&] { return StatusOf(InferSchema(path)); }); });
  const auto schema = std::make_shared<const Schema>(*InferSchema(path));
  FailEach([&](const Faulty& run) {
    RowBatch batch(schema);
    run([&]() -> Status {
      const auto input = TextInput::Open(path, schema);
      DSI_RETURN_IF_ERROR(input.status());
      DSI_RETURN_IF_ERROR(StatusOf((*input)->Next(100, &batch)));
      return StatusOf((*input)->Next(1000, &batch));
    });
    EXPECT_LE(batch.num_rows(), 300U);
  });
}

INSTANTIATE_TEST_SUITE_P(AllocationFailure, TextFailure,
                         ::testing::Values("a.jsonl", "a.csv", "a.jsonl.gz", "a.jsonl.zst"));

}  // namespace
}  // namespace dsi::test
