// Scans on several threads and ahead of Next: the same bytes for every number of threads, the same
// errors at the same batch, and nothing left running whenever they are given up.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dsi/reader/scan_metrics.h"
#include "dsi/tests/support/fault_file.h"
#include "dsi/tests/support/forked_child.h"
#include "dsi/tests/support/history_table.h"
#include "dsi/tests/support/memory_hook.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/tests/support/tensor_bytes.h"
#include "dsi/tests/support/told_file.h"

namespace dsi::test {
namespace {

struct Way {
  uint32_t threads = 1;
  uint64_t read_ahead_bytes = 0;
};

const std::vector<Way> kWays = {{2, 0}, {3, 0},       {8, 0},       {0, 0},       {1, 1},
                                {2, 1}, {1, 1 << 20}, {3, 1 << 20}, {4, 64 << 20}};

// Batches as the bytes of their tensors, and how the scan ended.
struct Outcome {
  std::vector<std::vector<std::byte>> tensors;
  std::vector<uint64_t> rows;
  Status status;
  ScanStats stats;
};

Outcome Scanned(const Reader& reader, ScanOptions options, const Way& way) {
  options.threads = way.threads;
  options.read_ahead_bytes = way.read_ahead_bytes;
  Outcome outcome;
  auto scan = reader.NewScan(options);
  if (!scan.ok()) {
    outcome.status = scan.status();
    return outcome;
  }
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    outcome.status = more.status();
    if (!more.ok() || !*more) break;
    outcome.tensors.push_back(TensorBytes((*scan)->columns(), batch));
    outcome.rows.push_back(batch.first_row());
  }
  outcome.stats = (*scan)->stats();
  return outcome;
}

ScanOptions Everything(uint32_t batch_size) {
  ScanOptions options;
  options.batch_size = batch_size;
  for (const Layout layout : {Layout::kPadded, Layout::kIkjt, Layout::kJagged})
    options.features.push_back({.name = "*", .layout = layout, .width = 7});
  for (const char* name : {"label", "item.views"})
    options.features.push_back({.name = name, .layout = Layout::kDense});
  options.features.push_back(
      {.name = "noise", .layout = Layout::kDense, .dtype = Type::kFloat64, .set = "noise"});
  for (const char* name : {"user.history.item", "item.views", "item.viewers"}) {
    for (const Layout layout : {Layout::kVbe, Layout::kKjt})
      options.features.push_back({.name = name, .layout = layout, .dtype = Type::kInt64});
  }
  return options;
}

class ScanThreadsTest : public ::testing::Test {
 protected:
  ScanThreadsTest()
      : bytes_(WriteTable(HistoryTable(7, 6000), StripesOf(2500))), reader_(OpenBytes(bytes_)) {}

  static std::unique_ptr<Reader> OpenBytes(const std::vector<std::byte>& bytes) {
    auto reader = Reader::Open(OpenMemoryFile(bytes, "threads.dsi"));
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    return std::move(*reader);
  }

  std::vector<std::byte> bytes_;
  std::unique_ptr<Reader> reader_;
};

void ExpectSame(const Outcome& expected, const Outcome& got, const Way& way) {
  const std::string where = std::to_string(way.threads) + " threads, " +
                            std::to_string(way.read_ahead_bytes) + " bytes ahead";
  ASSERT_EQ(got.tensors.size(), expected.tensors.size()) << where << ": " << got.status.ToString();
  EXPECT_EQ(got.rows, expected.rows) << where;
  EXPECT_EQ(got.status.ToString(), expected.status.ToString()) << where;
  for (size_t i = 0; i < got.tensors.size(); ++i)
    ASSERT_EQ(got.tensors[i], expected.tensors[i]) << where << ", batch " << i;
}

TEST_F(ScanThreadsTest, BytesAreTheSameForEveryNumberOfThreads) {
  for (const uint32_t batch_size : {100U, 999U, 6000U}) {
    const ScanOptions options = Everything(batch_size);
    const Outcome expected = Scanned(*reader_, options, {});
    ASSERT_TRUE(expected.status.ok()) << expected.status.ToString();
    for (const Way& way : kWays) {
      const Outcome got = Scanned(*reader_, options, way);
      ExpectSame(expected, got, way);
      EXPECT_EQ(got.stats.rows, 6000U);
      EXPECT_EQ(got.stats.values_decoded, expected.stats.values_decoded);
      EXPECT_EQ(got.stats.values_expanded, expected.stats.values_expanded);
      EXPECT_EQ(got.stats.bytes_needed, expected.stats.bytes_needed);
    }
  }
}

TEST_F(ScanThreadsTest, FiltersAndRangesToo) {
  ScanOptions options = Everything(150);
  options.filter.where = {{"label", Compare::kEqual, 1}};
  options.row_begin = 333;
  options.row_end = 5100;
  const Outcome expected = Scanned(*reader_, options, {});
  for (const Way& way : kWays) ExpectSame(expected, Scanned(*reader_, options, way), way);
  options.filter = {};
  const Outcome all = Scanned(*reader_, options, {});
  for (const Way& way : kWays) ExpectSame(all, Scanned(*reader_, options, way), way);
}

TEST_F(ScanThreadsTest, ErrorsComeWithTheSameBatch) {
  EditableFile file(bytes_);
  // A page in the midst of the second stripe.
  const auto& stripe = file.stripe(1);
  const uint64_t at = stripe.data_offset() + stripe.data_size() / 2;
  std::vector<std::byte> damaged = bytes_;
  damaged[at] ^= std::byte{0xFF};
  const auto reader = OpenBytes(damaged);
  const ScanOptions options = Everything(100);
  const Outcome expected = Scanned(*reader, options, {});
  ASSERT_EQ(expected.status.code(), StatusCode::kCorrupt) << expected.status.ToString();
  for (const Way& way : kWays) ExpectSame(expected, Scanned(*reader, options, way), way);
}

TEST_F(ScanThreadsTest, TooLittleMemoryIsSaid) {
  ScanOptions options = Everything(100);
  options.memory_bytes = 100'000;
  for (const Way& way : kWays) {
    const Outcome got = Scanned(*reader_, options, way);
    EXPECT_EQ(got.status.code(), StatusCode::kResourceExhausted) << got.status.ToString();
  }
}

size_t NumThreadsOfProcess() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

// A thread that was joined may be listed for a moment yet.
void ExpectNumThreads(size_t expected) {
  for (int i = 0; i < 1000 && NumThreadsOfProcess() != expected; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(NumThreadsOfProcess(), expected);
}

TEST_F(ScanThreadsTest, GivenUpAtAnyMoment) {
  const size_t before = NumThreadsOfProcess();
  for (int batches = 0; batches < 40; ++batches) {
    ScanOptions options = Everything(64);
    options.threads = 1 + static_cast<uint32_t>(batches) % 4;
    options.read_ahead_bytes = batches % 3 == 0 ? 1 : 1 << 20;
    auto scan = reader_->NewScan(options);
    ASSERT_TRUE(scan.ok());
    Batch batch;
    for (int i = 0; i < batches; ++i) ASSERT_TRUE((*scan)->Next(&batch).ok());
    scan->reset();
    ExpectNumThreads(before);
  }
}

TEST_F(ScanThreadsTest, NoThreadBeforeItIsAskedFor) {
  const size_t before = NumThreadsOfProcess();
  auto scan = reader_->NewScan(Everything(64));
  Batch batch;
  ASSERT_TRUE((*scan)->Next(&batch).ok());
  EXPECT_EQ(NumThreadsOfProcess(), before);
}

class ForkedScanTest : public ScanThreadsTest, public ::testing::WithParamInterface<uint64_t> {};

TEST_P(ForkedScanTest, AChildIsTold) {
  ScanOptions options = Everything(64);
  options.threads = 2;
  options.read_ahead_bytes = GetParam();
  auto scan = reader_->NewScan(options);
  ASSERT_TRUE(scan.ok());
  Batch batch;
  ASSERT_TRUE((*scan)->Next(&batch).ok());
  EXPECT_TRUE(InForkedChild([&] {
    const auto more = (*scan)->Next(&batch);
    scan->reset();
    return more.status().code() == StatusCode::kInvalidArgument;
  }));
  EXPECT_TRUE((*scan)->Next(&batch).ok());
}

INSTANTIATE_TEST_SUITE_P(Ways, ForkedScanTest, ::testing::Values(0U, 1U << 20));

// Next does not wait there for a batch that nobody makes.
TEST_F(ScanThreadsTest, AForkedChildHasNothingToWaitFor) {
  EditableFile file(bytes_);
  const uint64_t pages = file.stripe(0).data_offset();
  const uint64_t pages_end = pages + file.stripe(0).data_size();
  std::atomic<bool> is_stuck = true;
  ReadFaults faults;
  faults.on_read = [&](uint64_t offset, uint64_t) {
    while (offset >= pages && offset < pages_end && is_stuck)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  auto reader = Reader::Open(WithReadFaults(OpenMemoryFile(bytes_, "stuck"), std::move(faults)));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  ScanOptions options = Everything(64);
  options.read_ahead_bytes = 1 << 20;
  auto scan = (*reader)->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  EXPECT_FALSE((*scan)->is_ready());
  EXPECT_TRUE(InForkedChild([&] { return (*scan)->is_ready(); }));
  is_stuck = false;
  Batch batch;
  EXPECT_TRUE((*scan)->Next(&batch).ok());
}

class CountingAllocator final : public SlabAllocator {
 public:
  void* Allocate(size_t size) override {
    ++count;
    return std::aligned_alloc(64, size);
  }
  void Free(void* slab, size_t) override { std::free(slab); }
  int count = 0;
};

TEST_F(ScanThreadsTest, SlabsAreTheCallersAndChangeHands) {
  CountingAllocator allocator;
  ScanOptions options = Everything(64);
  options.read_ahead_bytes = 1 << 20;
  options.allocator = &allocator;
  auto scan = reader_->NewScan(options);
  Batch other;
  EXPECT_EQ((*scan)->Next(&other).status().code(), StatusCode::kInvalidArgument);
  {
    Batch batch(&allocator);
    int batches = 0;
    while (*(*scan)->Next(&batch)) ++batches;
    EXPECT_EQ(batches, 94);
  }
  scan->reset();
  EXPECT_GT(allocator.count, 0);
}

TEST_F(ScanThreadsTest, NoAllocationPerBatchOnceWarm) {
  ScanOptions options;
  options.batch_size = 32;
  options.features = {{.name = "user.history.item", .width = 8},
                      {.name = "item.viewers", .width = 8},
                      {.name = "user.profile", .layout = Layout::kPaddedIkjt, .width = 8}};
  options.threads = 3;
  const auto reader = OpenTable(HistoryTable(7, 6000), StripesOf(6000, 4096));
  for (const uint64_t read_ahead : {uint64_t{0}, uint64_t{1}}) {
    options.read_ahead_bytes = read_ahead;
    auto scan = reader->NewScan(options);
    ASSERT_TRUE(scan.ok());
    Batch batch;
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(*(*scan)->Next(&batch));
    const AllocationCount allocations;
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(*(*scan)->Next(&batch));
    EXPECT_LE(allocations.get(), 2U) << "read ahead " << read_ahead;
  }
}

TEST_F(ScanThreadsTest, StatsTellWhereTheTimeGoes) {
  ScanOptions options = Everything(64);
  options.read_ahead_bytes = 1 << 20;
  options.threads = 2;
  auto scan = reader_->NewScan(options);
  Batch batch;
  uint64_t bytes = 0;
  while (*(*scan)->Next(&batch)) {
    bytes += batch.slab().size();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const ScanStats& stats = (*scan)->stats();
  EXPECT_EQ(stats.batches, 94U);
  EXPECT_EQ(stats.output_bytes, bytes);
  EXPECT_EQ(stats.threads, 2U);
  EXPECT_GT(stats.seconds.decode, 0);
  EXPECT_GT(stats.seconds.fill, 0);
  EXPECT_EQ(stats.batches_ready, 0U);
}

// What limits a scan whose consumer computes for so long with each batch: in its midst, at its end.
std::vector<std::string_view> LimitsOf(const Reader& reader, const ScanOptions& options,
                                       std::chrono::duration<double> computes) {
  auto scan = reader.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<std::string_view> limits;
  Batch batch;
  while (*(*scan)->Next(&batch)) {
    if ((*scan)->stats().batches == 47) limits.push_back(ScanLimitName(LimitOf((*scan)->stats())));
    std::this_thread::sleep_for(computes);
  }
  limits.push_back(ScanLimitName(LimitOf((*scan)->stats())));
  return limits;
}

TEST_F(ScanThreadsTest, AConsumerThatComputesForLongerThanReadingTakesLimitsAScan) {
  ScanOptions options = Everything(64);
  const ScanSeconds alone = Scanned(*reader_, options, {}).stats.seconds;
  const double made_in = (alone.read + alone.decode + alone.fill) / 94;
  const std::chrono::duration<double> computes(std::max(1e-3, 5 * made_in));
  // In the end all batches wait, or there is room for one.
  for (const uint64_t read_ahead : {uint64_t{64} << 20, uint64_t{1}}) {
    for (const uint32_t threads : {1U, 3U}) {
      options.read_ahead_bytes = read_ahead;
      options.threads = threads;
      EXPECT_EQ(LimitsOf(*reader_, options, computes),
                std::vector<std::string_view>(2, "the consumer"))
          << read_ahead << " bytes ahead, " << threads << " threads";
    }
  }
}

TEST_F(ScanThreadsTest, OneThatWaitsDoesNot) {
  const ToldFile::Tell slow = [](uint64_t, uint64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  auto reader = Reader::Open(std::make_unique<ToldFile>(bytes_, SourceCosts{2e-3, 1e6}, &slow));
  ASSERT_TRUE(reader.ok());
  for (const uint64_t read_ahead : {uint64_t{0}, uint64_t{64} << 20}) {
    ScanOptions options = Everything(64);
    options.read_ahead_bytes = read_ahead;
    for (const std::string_view limit : LimitsOf(**reader, options, {}))
      EXPECT_NE(limit, "the consumer") << read_ahead << " bytes ahead";
  }
}

TEST(ScanMetricsTest, TextForPrometheus) {
  ScanStats stats;
  stats.rows = 12;
  stats.seconds.fill = 0.5;
  const auto bare = PrometheusText(stats);
  ASSERT_TRUE(bare.ok());
  EXPECT_NE(bare->find("# TYPE dsi_scan_rows_total counter\ndsi_scan_rows_total 12\n"),
            std::string::npos);
  EXPECT_NE(bare->find("dsi_scan_seconds_total{stage=\"fill\"} 0.5\n"), std::string::npos);
  const auto labelled = PrometheusText(stats, "job=\"a\"");
  EXPECT_NE(labelled->find("dsi_scan_rows_total{job=\"a\"} 12\n"), std::string::npos);
  EXPECT_NE(labelled->find("dsi_scan_seconds_total{job=\"a\",stage=\"fill\"} 0.5\n"),
            std::string::npos);
}

TEST(ScanMetricsTest, ScansOfOneTextHaveEachCounterOnce) {
  std::vector<LabelledStats> scans(2);
  scans[0].labels = "source=\"a\"";
  scans[0].stats.rows = 12;
  scans[1].labels = "source=\"b\"";
  scans[1].stats.seconds.fill = 0.5;
  const auto text = PrometheusText(scans);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("# TYPE dsi_scan_rows_total counter\n"
                       "dsi_scan_rows_total{source=\"a\"} 12\n"
                       "dsi_scan_rows_total{source=\"b\"} 0\n# HELP "),
            std::string::npos);
  EXPECT_NE(text->find("dsi_scan_seconds_total{source=\"b\",stage=\"fill\"} 0.5\n"),
            std::string::npos);
  EXPECT_EQ(text->find("# TYPE dsi_scan_rows_total"), text->rfind("# TYPE dsi_scan_rows_total"));
  EXPECT_EQ(*PrometheusText(std::span<const LabelledStats>()), "");
}

TEST(ScanMetricsTest, WhatLimitsAScan) {
  ScanStats stats;
  EXPECT_EQ(ScanLimitName(LimitOf(stats)), "nothing");
  stats.batches = 1;
  stats.seconds = {.read = 3, .decode = 1, .fill = 2, .blocked = 1, .wait = 6};
  EXPECT_EQ(LimitOf(stats), ScanLimit::kStorage);
  stats.seconds.read = 0;
  EXPECT_EQ(LimitOf(stats), ScanLimit::kExpansion);
  stats.seconds.decode = 4;
  EXPECT_EQ(LimitOf(stats), ScanLimit::kDecoding);
  stats.seconds.blocked = 7;
  EXPECT_EQ(LimitOf(stats), ScanLimit::kConsumer);
  // There is room: nothing was ever blocked, and the consumer hardly waits.
  stats.seconds.blocked = 0;
  stats.seconds.wait = 0.5;
  EXPECT_EQ(LimitOf(stats), ScanLimit::kConsumer);
}

}  // namespace
}  // namespace dsi::test
