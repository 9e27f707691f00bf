// What a scan of a dataset takes besides time: memory within its budget, no allocation per batch
// once it is warm; and figures that are those of the scans of its files.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"
#include "dsi/tests/support/memory_hook.h"

namespace dsi::test {
namespace {

DatasetScanOptions SomeColumns(uint32_t batch_size) {
  DatasetScanOptions options;
  options.scan.batch_size = batch_size;
  options.scan.features = {{.name = "user.history.item", .layout = Layout::kIkjt},
                           {.name = "item.viewers", .layout = Layout::kPadded, .width = 8},
                           {.name = "user.profile", .layout = Layout::kPaddedIkjt, .width = 8}};
  return options;
}

void AddPipeline(DatasetScanOptions* options) {
  options->pipeline.steps = {
      {.output = "newest", .op = TransformOp::kFirstX, .inputs = {"user.history.item"}, .n = 3},
      {.output = "hashed",
       .op = TransformOp::kSigridHash,
       .inputs = {"newest"},
       .salt = 7,
       .max = 1000},
      {.output = "cross",
       .op = TransformOp::kCartesian,
       .inputs = {"hashed", "item.words"},
       .salt = 3,
       .max = 500,
       .limit = 10},
      {.output = "bucket",
       .op = TransformOp::kBucketize,
       .inputs = {"weight"},
       .borders = {1, 2.5, 7}}};
  options->pipeline.outputs = {"hashed", "cross", "bucket"};
  options->scan.features.push_back({.name = "hashed", .layout = Layout::kIkjt});
  options->scan.features.push_back({.name = "cross", .layout = Layout::kPadded, .width = 10});
  options->scan.features.push_back({.name = "bucket", .layout = Layout::kPadded});
}

std::vector<DatasetScanOptions> Ways(uint32_t batch_size, uint32_t mixing_rows) {
  std::vector<DatasetScanOptions> ways;
  for (const bool has_pipeline : {false, true}) {
    DatasetScanOptions options = SomeColumns(batch_size);
    if (has_pipeline) AddPipeline(&options);
    ways.push_back(options);
    options.order = {.unit = OrderUnit::kBlock, .seed = 3, .block_rows = 100};
    options.order.mixing_rows = mixing_rows;
    ways.push_back(options);
    options.order.mix = Mix::kRows;
    ways.push_back(options);
  }
  return ways;
}

TEST(DatasetResources, NoAllocationPerBatchOnceWarm) {
  const ModelDataset model(HistoryTable(7, 6000), 2, 262'144);
  int number = 0;
  for (DatasetScanOptions options : Ways(16, 6000)) {
    for (const uint64_t read_ahead : {uint64_t{0}, uint64_t{1}}) {
      SCOPED_TRACE("way " + std::to_string(number++) + ", ahead " + std::to_string(read_ahead));
      options.scan.threads = 2;
      options.scan.read_ahead_bytes = read_ahead;
      auto scan = model.dataset->NewScan(options);
      ASSERT_TRUE(scan.ok()) << scan.status().ToString();
      Batch batch;
      for (int i = 0; i < 300; ++i) ASSERT_TRUE(*(*scan)->Next(&batch));
      const AllocationCount allocations;
      for (int i = 0; i < 50; ++i) ASSERT_TRUE(*(*scan)->Next(&batch));
      EXPECT_LE(allocations.get(), 15U);  // Of batches that are bigger than all before.
    }
  }
}

// The least budget that is enough holds nearly all that is used.
void ExpectCharged(const ModelDataset& model, DatasetScanOptions options) {
  const auto peak_with = [&](uint64_t bytes) -> Result<uint64_t> {
    options.scan.memory_bytes = bytes;
    const MemoryPeak peak;
    DSI_ASSIGN_OR_RETURN(auto scan, model.dataset->NewScan(options));
    Batch batch;
    for (;;) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) return peak.bytes();
    }
  };
  ASSERT_TRUE(peak_with(1 << 30).ok());  // What is read once and kept.
  uint64_t bytes = 200'000;
  auto peak = peak_with(bytes);
  for (; !peak.ok(); bytes += bytes / 20, peak = peak_with(bytes)) {
    ASSERT_EQ(peak.status().code(), StatusCode::kResourceExhausted) << peak.status().ToString();
    ASSERT_LT(bytes, 1U << 30);
  }
  EXPECT_LT(*peak, bytes + bytes / 10 + 400'000) << "budget " << bytes;
}

TEST(DatasetResources, WhatIsHeldIsCharged) {
  if (!MeasuresMemory()) GTEST_SKIP() << "no figure of the heap";
  const ModelDataset model(HistoryTable(7, 20'000), 3, 262'144);
  int number = 0;
  for (const DatasetScanOptions& options : Ways(2000, 20'000)) {
    SCOPED_TRACE("way " + std::to_string(number++));
    ExpectCharged(model, options);
  }
}

// What many stages make of a batch is more than what they read.
TEST(DatasetResources, StagesAreCharged) {
  if (!MeasuresMemory()) GTEST_SKIP() << "no figure of the heap";
  const ModelDataset model(HistoryTable(7, 20'000), 3, 262'144);
  DatasetScanOptions options;
  options.scan.batch_size = 10'000;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "cross" + std::to_string(i);
    options.pipeline.steps.push_back({.output = name,
                                      .op = TransformOp::kCartesian,
                                      .inputs = {"user.history.item", "item.words"},
                                      .salt = i,
                                      .max = 500,
                                      .limit = 10});
    options.scan.features.push_back({.name = name, .layout = Layout::kIkjt});
  }
  ExpectCharged(model, options);
}

// From window to window what was there is used again.
TEST(DatasetResources, WindowsDoNotAddUp) {
  if (!MeasuresMemory()) GTEST_SKIP() << "no figure of the heap";
  const ModelDataset model(HistoryTable(7, 20'000), 5, 1000);
  for (const Mix mix : {Mix::kSessions, Mix::kRows}) {
    DatasetScanOptions options = SomeColumns(500);
    AddPipeline(&options);
    options.order = {
        .unit = OrderUnit::kBlock, .seed = 5, .block_rows = 50, .mixing_rows = 2000, .mix = mix};
    auto scan = model.dataset->NewScan(options);
    ASSERT_TRUE(scan.ok());
    Batch batch;
    for (int i = 0; i < 16; ++i) ASSERT_TRUE(*(*scan)->Next(&batch));
    const MemoryPeak peak;
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(*(*scan)->Next(&batch));
    const uint64_t one_window = peak.bytes();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(*(*scan)->Next(&batch));
    EXPECT_LT(peak.bytes(), 2 * one_window + 1'000'000);
  }
}

ScanStats StatsOf(Scan* scan) {
  Batch batch;
  for (;;) {
    const auto more = scan->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) return scan->stats();
  }
}

TEST(DatasetResources, FiguresAreThoseOfTheFiles) {
  const ModelDataset model(HistoryTable(9, 3000), 3, 300);
  for (const bool filters : {false, true}) {
    for (const uint64_t read_ahead : {0U, 1U << 20}) {
      SCOPED_TRACE(std::to_string(filters) + " " + std::to_string(read_ahead));
      DatasetScanOptions options = SomeColumns(100);
      options.scan.read_ahead_bytes = read_ahead;
      // In some stripes no row passes.
      if (filters) options.scan.filter.where = {{"time", Compare::kLess, int64_t{1'010'000}}};
      ScanStats sum;
      for (const DatasetFile& file : model.dataset->files()) {
        const auto reader = Reader::Open(file.path);
        const ScanStats one = StatsOf((*reader)->NewScan(options.scan)->get());
        sum.rows += one.rows;
        sum.bytes_needed += one.bytes_needed;
        sum.rows_dropped += one.rows_dropped;
        sum.stripes_skipped += one.stripes_skipped;
        sum.values_decoded += one.values_decoded;
      }
      auto scan = model.dataset->NewScan(options);
      const ScanStats stats = StatsOf(scan->get());
      EXPECT_EQ(stats.rows, sum.rows);
      EXPECT_EQ(stats.batches, 30U);
      EXPECT_EQ(stats.rows_dropped, sum.rows_dropped);
      EXPECT_EQ(stats.rows + stats.rows_dropped, 3000U);
      EXPECT_EQ(stats.stripes_skipped, sum.stripes_skipped);
      EXPECT_EQ(stats.bytes_needed, sum.bytes_needed);
      EXPECT_GE(stats.bytes_read, stats.bytes_needed);
      EXPECT_LT(stats.bytes_read, 2 * stats.bytes_needed + 100'000);
      if (filters) {
        EXPECT_GT(stats.rows_dropped, 0U);
        EXPECT_GT(stats.values_decoded, 0U);
      } else {
        EXPECT_EQ(stats.values_decoded, sum.values_decoded);
      }
      EXPECT_GT(stats.seconds.decode, 0);
      EXPECT_GT(stats.seconds.fill, 0);
      EXPECT_EQ(stats.batches_ready, 0U);
    }
  }
}

}  // namespace
}  // namespace dsi::test
