// What is read ahead of a scan: each byte once, stripes beside each other where a read takes long,
// and never in the way of who needs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/fail_each.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/tests/support/told_file.h"

namespace dsi::test {
namespace {

constexpr int64_t kStripeRows = 2000;
constexpr uint32_t kStripes = 5;
constexpr int kWide = 3000;

// Lists of which each stripe takes some 300 KiB in many pages, between other features.
std::vector<std::byte> ListFile() {
  Schema schema;
  schema.features.push_back(Feature("row", Kind::kKey, {{"", Type::kInt64, ""}}));
  schema.features.push_back(Feature("list", Kind::kList, {{"", Type::kInt64, ""}}));
  // So that the directory is not read with the end of the file.
  for (int i = 0; i < kWide; ++i)
    schema.features.push_back(
        Feature("f" + std::to_string(i), Kind::kDense, {{"", Type::kInt8, ""}}));
  std::mt19937_64 random(1);
  std::vector<int64_t> list(20);
  return FileOfRows(schema, kStripes * kStripeRows, kStripeRows, [&](int64_t row, RowBatch* rows) {
    for (int64_t& value : list) value = static_cast<int64_t>(random());
    EXPECT_TRUE(rows->SetInt(0, row).ok() && rows->SetInts(1, 0, list).ok());
    for (int64_t f = 10 * row; f < 10 * (row + 1); ++f)
      EXPECT_TRUE(rows->SetInt(2 + static_cast<size_t>(f % kWide), f % 7).ok());
  });
}

class StripeFetcherTest : public ::testing::Test {
 protected:
  StripeFetcherTest() {
    static const std::vector<std::byte> made = ListFile();
    bytes_ = made;
    EditableFile file(bytes_);
    for (uint32_t i = 0; i < kStripes; ++i)
      stripes_.push_back({file.stripe(i).data_offset(), file.stripe(i).data_size()});
  }

  // Of a source whose reads take long.
  std::unique_ptr<Reader> Open(const ReaderOptions& options = {}) {
    auto reader = Reader::Open(
        std::make_unique<ToldFile>(bytes_, SourceCosts{2e-3, 1e6}, &on_read_), options);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    return *std::move(reader);
  }
  // The stripe whose pages lie there; kStripes: none.
  uint32_t StripeOf(uint64_t offset) const {
    uint32_t i = 0;
    while (i < kStripes &&
           (offset < stripes_[i].offset || offset >= stripes_[i].offset + stripes_[i].size))
      ++i;
    return i;
  }

  struct Range {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  std::vector<std::byte> bytes_;
  std::vector<Range> stripes_;
  ToldFile::Tell on_read_;
};

// Also where the scan comes to a stripe while that is being planned.
TEST_F(StripeFetcherTest, NothingIsReadTwice) {
  const auto reader = Open();
  std::mutex mutex;
  std::vector<Range> reads;
  on_read_ = [&](uint64_t offset, uint64_t size) {
    if (StripeOf(offset) == kStripes) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      return;
    }
    const std::lock_guard lock(mutex);
    reads.push_back({offset, size});
  };
  for (const uint32_t threads : {1U, 3U}) {
    reads.clear();
    ScanOptions options;
    options.batch_size = kStripeRows;
    options.features = {{.name = "list", .layout = Layout::kJagged}};
    options.threads = threads;
    options.read_ahead_bytes = 64 << 20;
    auto scan = reader->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    uint64_t rows = 0;
    while (*(*scan)->Next(&batch)) rows += batch.num_rows();
    EXPECT_EQ(rows, kStripes * kStripeRows);
    scan->reset();
    ASSERT_FALSE(reads.empty());
    std::sort(reads.begin(), reads.end(),
              [](const Range& a, const Range& b) { return a.offset < b.offset; });
    for (size_t i = 1; i < reads.size(); ++i) {
      EXPECT_LE(reads[i - 1].offset + reads[i - 1].size, reads[i].offset)
          << threads << " threads, stripe " << StripeOf(reads[i].offset);
    }
  }
}

// One read that takes long does not keep others from being made.
TEST_F(StripeFetcherTest, StripesAreReadBesideEachOther) {
  const auto reader = Open();
  std::mutex mutex;
  std::condition_variable changed;
  bool second_is_read = false, was_beside = false, is_over = false;
  on_read_ = [&](uint64_t offset, uint64_t) {
    const uint32_t stripe = StripeOf(offset);
    if (stripe == kStripes) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::unique_lock lock(mutex);
    if (stripe == 2) second_is_read = true;
    changed.notify_all();
    if (stripe != 1 || is_over) return;
    const auto limit = std::chrono::seconds(10);
    was_beside = changed.wait_for(lock, limit, [&] { return second_is_read; });
    is_over = true;
    changed.notify_all();
  };
  ScanOptions options;
  // Few batches are more than is made ahead, so that the scan stays in its first stripe.
  options.batch_size = 100;
  options.features = {{.name = "list", .layout = Layout::kPadded, .width = 3000}};
  options.read_ahead_bytes = 8 << 20;
  options.threads = 1;
  auto scan = reader->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  ASSERT_TRUE((*scan)->Next(&batch).ok());
  std::unique_lock lock(mutex);
  changed.wait_for(lock, std::chrono::seconds(20), [&] { return is_over; });
  EXPECT_TRUE(was_beside);
}

// Rows that end within a stripe do not have the rest of it read.
TEST_F(StripeFetcherTest, WhatLiesBehindTheRowsIsNotRead) {
  const auto reader = Open({.coalesce_gap = 0, .max_read_bytes = 1});
  std::atomic<uint64_t> read = 0;
  on_read_ = [&](uint64_t offset, uint64_t size) {
    if (StripeOf(offset) == 1) read += size;
  };
  ScanOptions options;
  options.batch_size = 100;
  options.features = {{.name = "list", .layout = Layout::kJagged}};
  options.row_end = kStripeRows + kStripeRows / 10;
  options.read_ahead_bytes = 64 << 20;
  options.threads = 1;
  auto scan = reader->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  uint64_t rows = 0;
  while (*(*scan)->Next(&batch)) rows += batch.num_rows();
  EXPECT_EQ(rows, options.row_end);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // For more, if it were wanted.
  scan->reset();
  EXPECT_GT(read, 0U);
  EXPECT_LT(read, kStripeRows * 20 * sizeof(int64_t) / 4);
}

// Also while a helper has come for the next one: hardly a page is read when it is needed.
TEST_F(StripeFetcherTest, AStripeIsReadToItsEnd) {
  const auto reader = Open({.coalesce_gap = 0, .max_read_bytes = 1});
  std::atomic<int> reads = 0, on_need = 0;
  on_read_ = [&](uint64_t offset, uint64_t) {
    if (StripeOf(offset) != 0) return;
    ++reads;
    if (!ToldFile::is_many) ++on_need;
  };
  ScanOptions options;
  options.batch_size = 50;
  options.features = {{.name = "list", .layout = Layout::kJagged}};
  options.read_ahead_bytes = 64 << 10;
  options.threads = 2;
  auto scan = reader->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  for (uint32_t row = 0; row < kStripeRows; row += options.batch_size) {
    ASSERT_TRUE((*scan)->Next(&batch).ok());
    // What is ahead is read meanwhile.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(reads, 30);
  EXPECT_LT(on_need, reads / 3);
}

// Who waits for what was begun to be read gets it, or is told to read it himself.
TEST_F(StripeFetcherTest, WithoutMemoryNobodyWaitsForEver) {
  // Each page by itself, so that some are begun before there is no memory for one.
  const auto reader = Open({.coalesce_gap = 0, .max_read_bytes = 1});
  ScanOptions options;
  options.batch_size = kStripeRows;
  options.features = {{.name = "list", .layout = Layout::kJagged}};
  options.read_ahead_bytes = 16 << 20;
  options.threads = 1;
  FailEach("ahead", [&]() -> Status {
    DSI_ASSIGN_OR_RETURN(const auto scan, reader->NewScan(options));
    Batch batch;
    while (true) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) return Status::Ok();
    }
  });
}

}  // namespace
}  // namespace dsi::test
