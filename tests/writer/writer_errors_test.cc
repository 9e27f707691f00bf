// What goes wrong on the caller's side: rows refused, callbacks and files that throw, nulls. None
// of it ends the process or costs rows that were taken before.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "dsi/base/parallel_internal.h"
#include "dsi/text/text_input.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

constexpr size_t kRows = 200;

Schema TestSchema() {
  return *Schema::FromJson(R"({"features": [
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "clicks", "kind": "list", "type": "int64"},
    {"name": "label", "kind": "label", "type": "float32"}],
    "cluster_by": ["session_id"]})");
}

std::unique_ptr<Writer> NewWriter(std::vector<std::byte>* bytes, WriterOptions options = {}) {
  auto writer = Writer::Create(CreateMemoryFile(bytes, "memory"), TestSchema(), std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  return *std::move(writer);
}

// Column buffers of kRows rows.
struct Columns {
  explicit Columns(int64_t first) : keys(kRows), clicks(2 * kRows), offsets(kRows + 1) {
    std::iota(keys.begin(), keys.end(), first);
    std::iota(clicks.begin(), clicks.end(), 7 * first);
    for (size_t i = 0; i <= kRows; ++i) offsets[i] = static_cast<int32_t>(2 * i);
    std::fill(validity.begin(), validity.end(), 0x6E);
    list.feature = 1;
    list.offsets32 = offsets.data();
    list.values = {clicks.data()};
    key.feature = 0;
    key.values = {keys.data()};
  }
  Status AppendTo(Writer* writer) const {
    return writer->AppendColumns(kRows, std::vector<FeatureColumns>{key, list});
  }

  std::vector<int64_t> keys, clicks;
  std::vector<int32_t> offsets;
  std::array<uint8_t, kRows / 8 + 1> validity;
  FeatureColumns key, list;
};

RowBatch Batch(const Writer& writer, int64_t first) {
  RowBatch batch(writer.schema());
  for (int64_t i = first; i < first + static_cast<int64_t>(kRows); ++i) {
    EXPECT_TRUE(batch.SetInt(0, i / 8).ok());
    const std::vector<int64_t> ids = {i, i + 1, i * i};
    EXPECT_TRUE(batch.SetInts(1, 0, ids).ok());
    if (i % 3 == 0) {
      EXPECT_TRUE(batch.SetDouble(2, 0.5).ok());
    }
    EXPECT_TRUE(batch.EndRow().ok());
  }
  return batch;
}

// Rows that writers refuse, between rows that they take.
std::vector<std::byte> WriteAround(const std::function<void(Writer*)>& between,
                                   WriterOptions options = {}) {
  std::vector<std::byte> bytes;
  const auto writer = NewWriter(&bytes, std::move(options));
  EXPECT_TRUE(writer->Append(Batch(*writer, 0)).ok());
  EXPECT_TRUE(Columns(1'000).AppendTo(writer.get()).ok());
  const uint64_t num_rows = writer->num_rows();
  const uint64_t size_bytes = writer->size_bytes();
  between(writer.get());
  EXPECT_EQ(writer->num_rows(), num_rows);
  EXPECT_EQ(writer->size_bytes(), size_bytes);
  EXPECT_TRUE(writer->Append(Batch(*writer, 5'000)).ok());
  const auto report = writer->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return bytes;
}

TEST(WriterErrors, ARefusedBatchCostsNoRowsAndNoBytes) {
  const std::vector<std::byte> expected = WriteAround([](Writer*) {});
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(expected, WriteAround([](Writer* writer) {
              Columns bad(2'000);
              bad.offsets[kRows / 2] = 1;
              // The key comes first, and lacks rows, which none did before.
              bad.key.validity = bad.validity.data();
              EXPECT_EQ(bad.AppendTo(writer).code(), StatusCode::kInvalidArgument);
              Columns twice(2'000);
              twice.list = twice.key;
              EXPECT_EQ(twice.AppendTo(writer).code(), StatusCode::kInvalidArgument);
            }));
  EXPECT_EQ(expected, WriteAround([](Writer* writer) {
              RowBatch other(std::make_shared<const Schema>(TestSchema()));
              EXPECT_EQ(writer->Append(other).code(), StatusCode::kInvalidArgument);
            }));
}

TEST(WriterErrors, ProgressThatThrowsFailsTheFinish) {
  for (const int threads : {1, 4}) {
    for (int call = 0;; ++call) {
      std::vector<std::byte> bytes;
      int calls = 0;
      const auto writer =
          NewWriter(&bytes, {.stripe_rows = 100, .threads = threads, .progress = [&](auto&) {
                               if (calls++ != call) return true;
                               if (call % 2 == 0) throw 7;
                               throw std::runtime_error("user");
                             }});
      ASSERT_TRUE(writer->Append(Batch(*writer, 0)).ok());
      const auto report = writer->Finish();
      if (report.ok()) {
        EXPECT_GT(call, threads == 1 ? 8 : 2);  // Other threads may leave the caller few pieces.
        break;
      }
      EXPECT_EQ(report.status().code(), StatusCode::kCancelled);
      EXPECT_EQ(writer->Finish().status().code(), StatusCode::kCancelled);
      EXPECT_EQ(writer->Append(Batch(*writer, 0)).code(), StatusCode::kCancelled);
      EXPECT_TRUE(bytes.empty());
    }
  }
}

// Called after each piece of work, and before each stripe is placed: with one thread and dedup off,
// pieces are two for each feature, one for sources and one for the list.
TEST(WriterErrors, ProgressIsAskedBeforeEachStripe) {
  std::vector<std::byte> bytes;
  std::map<uint64_t, int> calls;
  const auto writer = NewWriter(&bytes, {.keep_order = true,
                                         .stripe_rows = 50,
                                         .threads = 1,
                                         .dedup = false,
                                         .progress = [&](const WriteProgress& now) {
                                           calls[now.rows_done] +=
                                               now.phase == WriteProgress::Phase::kEncode ? 1 : 0;
                                           return true;
                                         }});
  ASSERT_TRUE(writer->Append(Batch(*writer, 0)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  for (uint64_t first = 0; first < kRows; first += 50)
    EXPECT_EQ(calls[first], 2 * 3 + 1 + 1 + 1) << first;
}

class ThrowingFile : public WritableFile {
 public:
  ThrowingFile(int append, bool publish) : append_(append), publish_(publish) {}
  Status Append(std::span<const std::byte>) override {
    if (append_-- == 0) throw std::runtime_error("append");
    return {};
  }
  Status Publish() override {
    if (publish_) throw std::bad_alloc();
    return {};
  }
  const std::string& name() const override { return name_; }

 private:
  int append_;
  bool publish_;
  std::string name_ = "throws";
};

TEST(WriterErrors, FilesThatThrowFailTheFinish) {
  const auto finish = [](int append, bool publish) {
    auto writer = Writer::Create(std::make_unique<ThrowingFile>(append, publish), TestSchema());
    EXPECT_TRUE(writer.ok());
    EXPECT_TRUE((*writer)->Append(Batch(**writer, 0)).ok());
    return (*writer)->Finish().status().code();
  };
  for (const int call : {0, 1, 5}) EXPECT_EQ(finish(call, false), StatusCode::kCancelled);
  EXPECT_EQ(finish(-1, true), StatusCode::kResourceExhausted);
}

TEST(WriterErrors, NullsAreErrors) {
  EXPECT_EQ(Writer::Create(std::unique_ptr<WritableFile>(), TestSchema()).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CreateMemoryFile(nullptr, "none"), nullptr);
  EXPECT_EQ(TextInput::Open("-", nullptr).status().code(), StatusCode::kInvalidArgument);
  RowBatch none(nullptr);
  const auto refuses = [](RowBatch* batch) {
    EXPECT_EQ(batch->num_rows(), 0U);
    EXPECT_EQ(batch->SetInt(0, 1).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(batch->SetBytes(0, "").code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(batch->SetInts(0, 0, std::span<const int64_t>()).code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(batch->EndRow().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(batch->AppendColumns(1, {}).code(), StatusCode::kInvalidArgument);
    batch->Prefetch(3);
    batch->DropRow();
    batch->Clear();
  };
  refuses(&none);
  std::vector<std::byte> bytes;
  const auto writer = NewWriter(&bytes);
  RowBatch batch = Batch(*writer, 0);
  const RowBatch taken = std::move(batch);
  EXPECT_EQ(taken.num_rows(), kRows);
  refuses(&batch);
  EXPECT_EQ(writer->Append(batch).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(writer->Append(taken).ok());
}

using internal::ParallelFor;

Status Failed(size_t i) { return {StatusCode::kIo, std::to_string(i)}; }

// Waits for what another thread does; for want of a second thread not for ever.
void WaitFor(const std::function<bool()>& is_done) {
  for (int i = 0; i < 2'000 && !is_done(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(ParallelFor, TheFirstFailureCountsWhicheverCameFirst) {
  for (const size_t quick : {0, 1}) {
    std::atomic<int> begun = 0;
    std::atomic<bool> failed = false;
    const auto work = [&](size_t i) {
      ++begun;
      WaitFor([&] { return begun == 2; });
      if (i == quick) {
        failed = true;
      } else {
        WaitFor([&] { return failed.load(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      return Failed(i);
    };
    const Status status = ParallelFor(2, 2, work, [] { return Status::Ok(); });
    EXPECT_EQ(status.message(), "0") << "piece " << quick << " failed first";
  }
}

TEST(ParallelFor, WorkAndPollMayThrow) {
  // Slow, so that every thread has some.
  const auto fine = [](size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Status::Ok();
  };
  for (const int threads : {1, 4}) {
    EXPECT_EQ(ParallelFor(200, threads, fine, []() -> Status { throw 1; }).code(),
              StatusCode::kCancelled);
    const auto no_memory = [](size_t i) -> Status {
      if (i == 5) throw std::bad_alloc();
      return {};
    };
    EXPECT_EQ(ParallelFor(9, threads, no_memory, [] { return Status::Ok(); }).code(),
              StatusCode::kResourceExhausted);
  }
}

}  // namespace
}  // namespace dsi
