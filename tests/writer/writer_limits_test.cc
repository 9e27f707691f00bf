// Limits, progress and failures of a writer, each held from outside: who fails first, who is asked,
// and what is left behind.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dsi/tests/support/fault_file.h"
#include "dsi/tests/support/temp_folder.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

using internal::ParallelFor;
using test::WithWriteFaults;

Status Ok() { return {}; }

Status FailureOf(size_t i) { return {StatusCode::kIo, "item " + std::to_string(i)}; }

// Items 0 and 3 fail, in this order or the other one: all four have begun before either does.
TEST(ParallelForTest, TheSmallestItemsFailureIsReturned) {
  for (const size_t first : {size_t{0}, size_t{3}}) {
    std::atomic<int> begun{0};
    std::atomic<bool> first_failed{false};
    const auto work = [&](size_t i) {
      ++begun;
      while (begun < 4) std::this_thread::yield();
      if (i == first) {
        first_failed = true;
        return FailureOf(i);
      }
      while (!first_failed) std::this_thread::yield();
      // Long enough for the first failure to be noted.
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return i == 0 || i == 3 ? FailureOf(i) : Status::Ok();
    };
    EXPECT_EQ(ParallelFor(4, 4, work, Ok).message(), "item 0") << "item " << first << " first";
  }
}

TEST(ParallelForTest, StopsAfterAFailure) {
  for (const int threads : {1, 4}) {
    std::atomic<size_t> done{0};
    const auto work = [&](size_t i) {
      ++done;
      return i == 10 ? FailureOf(i) : Status::Ok();
    };
    EXPECT_EQ(ParallelFor(1'000'000, threads, work, Ok).message(), "item 10");
    EXPECT_LT(done, 1'000'000U);
  }
}

TEST(ParallelForTest, EveryItemOnceAndThePollIsAskedAndCounts) {
  for (const int threads : {1, 2, 9}) {
    std::vector<std::atomic<int>> calls(100);
    const auto caller = std::this_thread::get_id();
    const auto poll = [&]() -> Status {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      return {};
    };
    const auto count = [&](size_t i) -> Status {
      ++calls[i];
      return {};
    };
    EXPECT_TRUE(ParallelFor(calls.size(), threads, count, poll).ok());
    for (const std::atomic<int>& n : calls) EXPECT_EQ(n, 1);
  }
  size_t done = 0;
  const auto work = [&](size_t) -> Status {
    ++done;
    return {};
  };
  const auto cancel = []() -> Status { return {StatusCode::kCancelled, "enough"}; };
  EXPECT_EQ(ParallelFor(100, 1, work, cancel).code(), StatusCode::kCancelled);
  EXPECT_EQ(done, 1U);
}

Schema NumbersSchema(size_t num_features) {
  Schema schema;
  for (size_t f = 0; f < num_features; ++f) {
    FeatureSpec& feature = schema.features.emplace_back();
    feature.name = "f" + std::to_string(f);
    feature.kind = Kind::kDense;
    feature.columns = {{.name = "", .type = Type::kInt64, .id_space = ""}};
  }
  return schema;
}

Status AppendNumbers(Writer* writer, int64_t num_rows) {
  RowBatch batch(writer->schema());
  for (int64_t i = 0; i < num_rows; ++i) {
    for (size_t f = 0; f < writer->schema()->features.size(); ++f) {
      if (Status status = batch.SetInt(f, i * 77 % 1009); !status.ok()) return status;
    }
    if (Status status = batch.EndRow(); !status.ok()) return status;
  }
  return writer->Append(batch);
}

struct Asked {
  std::map<uint64_t, int> encoding;  // Calls by rows done.
  int clustering = 0;
  int publishing = 0;
  Status outcome;
  bool published = false;
};

// Writes 5 stripes of 1,000 rows with one thread; call `cancel_at` (from 0) says no.
Asked WriteAsked(size_t num_features, int cancel_at = -1) {
  Asked asked;
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.stripe_rows = 1000;
  options.threads = 1;
  int calls = 0;
  uint64_t rows_before = 0;
  options.progress = [&](const WriteProgress& progress) {
    EXPECT_EQ(progress.rows_total, 5000U);
    EXPECT_GE(progress.rows_done, rows_before);
    rows_before = progress.rows_done;
    switch (progress.phase) {
      case WriteProgress::Phase::kCluster:
        ++asked.clustering;
        break;
      case WriteProgress::Phase::kEncode:
        ++asked.encoding[progress.rows_done];
        break;
      case WriteProgress::Phase::kPublish:
        ++asked.publishing;
        break;
    }
    return calls++ != cancel_at;
  };
  auto writer =
      Writer::Create(CreateMemoryFile(&bytes, "memory"), NumbersSchema(num_features), options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  // Stripes are written while rows come; what cancels them there is said again.
  const Status appended = AppendNumbers(writer->get(), 5000);
  asked.outcome = (*writer)->Finish().status();
  if (!appended.ok()) EXPECT_EQ(asked.outcome.ToString(), appended.ToString());
  asked.published = !bytes.empty();
  return asked;
}

// Between stripes, and not only after each of a stripe's pieces, of which there may be few and long
// ones, on other threads: one call is there that more features do not multiply.
TEST(WriterLimits, ProgressIsAskedBeforeEachStripe) {
  const Asked one = WriteAsked(1);
  const Asked two = WriteAsked(2);
  ASSERT_TRUE(one.outcome.ok() && two.outcome.ok());
  ASSERT_EQ(one.encoding.size(), 5U);
  for (const uint64_t row : {0U, 1000U, 2000U, 3000U, 4000U}) {
    EXPECT_GE(2 * one.encoding.at(row) - two.encoding.at(row), 1) << "stripe at row " << row;
  }
  EXPECT_GE(one.clustering, 1);
  EXPECT_EQ(one.publishing, 1);
}

TEST(WriterLimits, EveryCallMayCancel) {
  const Asked whole = WriteAsked(2);
  int calls = whole.clustering + whole.publishing;
  for (const auto& [row, count] : whole.encoding) calls += count;
  for (int call = 0; call < calls; ++call) {
    const Asked asked = WriteAsked(2, call);
    EXPECT_EQ(asked.outcome.code(), StatusCode::kCancelled) << "call " << call;
    EXPECT_FALSE(asked.published) << "call " << call;
  }
}

// Files that fail, at every append there is and at the end.
TEST(WriterFaults, EveryAppendAndThePublish) {
  const auto write = [](test::WriteFaults faults, std::vector<std::byte>* bytes) -> Status {
    auto writer =
        Writer::Create(WithWriteFaults(CreateMemoryFile(bytes, "memory"), std::move(faults)),
                       NumbersSchema(3), {.stripe_rows = 500, .threads = 2});
    if (!writer.ok()) return writer.status();
    if (Status status = AppendNumbers(writer->get(), 2000); !status.ok()) return status;
    const Status status = (*writer)->Finish().status();
    // The same again, and never a file.
    EXPECT_NE((*writer)->Finish().status().code(), StatusCode::kOk);
    return status;
  };
  uint64_t appends = 0;
  uint64_t size = 0;
  std::vector<std::byte> sound;
  ASSERT_TRUE(write({.on_append =
                         [&](uint64_t n) {
                           ++appends;
                           size += n;
                         }},
                    &sound)
                  .ok());
  ASSERT_EQ(sound.size(), size);
  ASSERT_GT(appends, 8U);
  for (uint64_t call = 0; call < appends; ++call) {
    for (const StatusCode code : {StatusCode::kIo, StatusCode::kResourceExhausted}) {
      std::vector<std::byte> bytes;
      uint64_t tried = 0;
      const Status status =
          write({.fail_call = call, .on_append = [&](uint64_t) { ++tried; }, .code = code}, &bytes);
      EXPECT_EQ(tried, call + 1) << "writing went on";
      EXPECT_EQ(status.code(), code) << "append " << call << ": " << status.ToString();
      EXPECT_NE(status.message().find("memory"), std::string::npos) << "names the file";
      EXPECT_TRUE(bytes.empty()) << "append " << call;
    }
  }
  for (uint64_t at = 0; at < size; at += 1 + size / 37) {
    std::vector<std::byte> bytes;
    EXPECT_EQ(write({.fail_at = at}, &bytes).code(), StatusCode::kIo) << "size " << at;
    EXPECT_TRUE(bytes.empty());
  }
  std::vector<std::byte> bytes;
  EXPECT_EQ(write({.fail_publish = true}, &bytes).code(), StatusCode::kIo);
  EXPECT_TRUE(bytes.empty());
}

// The same through the file system: a failure leaves the old file, and nothing beside it.
TEST(WriterFaults, AFailureLeavesTheOldFile) {
  const test::TempFolder folder;
  const std::string path = folder.File("out.dsi");
  const auto write = [&](test::WriteFaults faults) -> Status {
    auto file = CreateLocalFile(path, {.overwrite = true});
    if (!file.ok()) return file.status();
    auto writer = Writer::Create(WithWriteFaults(*std::move(file), std::move(faults)),
                                 NumbersSchema(2), {.stripe_rows = 500});
    if (!writer.ok()) return writer.status();
    if (Status status = AppendNumbers(writer->get(), 1000); !status.ok()) return status;
    return (*writer)->Finish().status();
  };
  ASSERT_TRUE(write({}).ok());
  const auto before = std::filesystem::last_write_time(path);
  EXPECT_EQ(write({.fail_call = 3}).code(), StatusCode::kIo);
  EXPECT_EQ(write({.fail_publish = true}).code(), StatusCode::kIo);
  EXPECT_EQ(folder.Names(), (std::set<std::string>{"out.dsi"}));
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
}

}  // namespace
}  // namespace dsi
