// Windows stated in bytes: how many rows they have, that a state keeps the number, and that so much
// memory is taken.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/order/scan_state_internal.h"
#include "dsi/dataset/shuffle_report.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/dataset/sliced_dataset.h"
#include "dsi/tests/support/history_table.h"
#include "dsi/tests/support/memory_hook.h"

namespace dsi::test {
namespace {

DatasetScanOptions Mixed(uint64_t bytes) {
  DatasetScanOptions options;
  options.scan.batch_size = 50;
  options.scan.features = {{.name = "user.history.item", .layout = Layout::kIkjt},
                           {.name = "item.viewers", .layout = Layout::kJagged}};
  options.order = {.unit = OrderUnit::kBlock, .seed = 3, .block_rows = 100, .mixing_bytes = bytes};
  return options;
}

Result<uint32_t> MixingRows(const DatasetScanOptions& options, const Dataset& dataset) {
  DSI_ASSIGN_OR_RETURN(const auto scan, dataset.NewScan(options));
  DSI_ASSIGN_OR_RETURN(const std::string text, scan->state());
  DSI_ASSIGN_OR_RETURN(const auto state, internal::ScanState::FromJson(text));
  return state.order.mixing_rows;
}

class MixingRowsTest : public ::testing::Test {
 protected:
  const ModelDataset model_{HistoryTable(7, 20'000), 3, 2000};

  Result<uint32_t> RowsOf(const DatasetScanOptions& options) const {
    return MixingRows(options, *model_.dataset);
  }
};

TEST_F(MixingRowsTest, AreWholeBatchesByBytes) {
  const uint32_t rows = *RowsOf(Mixed(100'000));
  EXPECT_EQ(rows % 50, 0U);
  EXPECT_GT(rows, 300U);
  EXPECT_LT(rows, 10'000U);
  EXPECT_NEAR(*RowsOf(Mixed(200'000)), 2 * rows, 50);
  EXPECT_EQ(*RowsOf(Mixed(1)), 50U);
  EXPECT_EQ(*RowsOf(Mixed(1 << 30)), 20'000U);
  DatasetScanOptions some = Mixed(1 << 30);
  some.rows = {{10, 20}, {5000, 5111}};
  EXPECT_EQ(*RowsOf(some), 150U);
  some.scan.batch_size = 1U << 30;
  EXPECT_EQ(*RowsOf(some), 1U << 30);
}

TEST_F(MixingRowsTest, FewerFeaturesMoreRows) {
  DatasetScanOptions all = Mixed(100'000);
  all.scan.features = {{.name = "*", .layout = Layout::kJagged}};
  EXPECT_LT(2 * *RowsOf(all), *RowsOf(Mixed(100'000)));
}

TEST_F(MixingRowsTest, OrderIsThatOfAsManyRows) {
  const DatasetScanOptions options = Mixed(100'000);
  DatasetScanOptions same = options;
  same.order.mixing_bytes = 0;
  same.order.mixing_rows = *RowsOf(options);
  EXPECT_EQ(Batches(*model_.dataset, options), Batches(*model_.dataset, same));
  EXPECT_EQ(*model_.dataset->CountBatches(options), *model_.dataset->CountBatches(same));
  EXPECT_EQ(*model_.dataset->ShareState(options), *model_.dataset->ShareState(same));
}

TEST_F(MixingRowsTest, StateKeepsThem) {
  const DatasetScanOptions options = Mixed(100'000);
  const auto scan = *model_.dataset->NewScan(options);
  Batch batch;
  for (int i = 0; i < 70; ++i) ASSERT_TRUE(*scan->Next(&batch));
  const std::string state = *scan->state();
  const std::vector<std::vector<uint64_t>> all = Batches(*model_.dataset, options);
  DatasetScanOptions going_on = Mixed(7'000'000);
  going_on.scan.features.pop_back();
  going_on.state = state;
  EXPECT_EQ(Batches(*model_.dataset, going_on), std::vector(all.begin() + 70, all.end()));
  EXPECT_EQ(*model_.dataset->CountBatches(going_on), all.size() - 70);
  going_on.order.mixing_bytes = 0;
  EXPECT_EQ(model_.dataset->NewScan(going_on).status().code(), StatusCode::kBadInput);
}

// A state of a scan that mixes nothing knows no window.
TEST_F(MixingRowsTest, StateMustBeOfAMixedScan) {
  DatasetScanOptions plain = Mixed(0);
  DatasetScanOptions mixed = Mixed(100'000);
  mixed.state = *(*model_.dataset->NewScan(plain))->state();
  const Status status = model_.dataset->NewScan(mixed).status();
  EXPECT_EQ(status.code(), StatusCode::kBadInput);
  EXPECT_NE(status.ToString().find("mixes no rows"), std::string::npos) << status.ToString();
}

TEST_F(MixingRowsTest, AreTheSameForAllRanks) {
  const DatasetScanOptions whole = Mixed(100'000);
  std::vector<std::vector<uint64_t>> batches;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    DatasetScanOptions options = whole;
    options.shard = {.rank = rank, .world = 3, .remainder = Remainder::kUneven};
    const auto some = Batches(*model_.dataset, options);
    batches.insert(batches.end(), some.begin(), some.end());
  }
  EXPECT_EQ(batches, Batches(*model_.dataset, whole));
}

// What of a pipeline is done while values are decoded depends on the ranks; the order does not.
TEST_F(MixingRowsTest, AreThoseOfStoredValues) {
  DatasetScanOptions options = Mixed(50'000);
  options.order.unit = OrderUnit::kStripe;
  options.pipeline.steps = {{.output = "hashed",
                             .op = TransformOp::kSigridHash,
                             .inputs = {"user.history.item"},
                             .salt = 7,
                             .max = 1000}};
  options.scan.features = {{.name = "hashed", .layout = Layout::kIkjt}};
  const uint32_t rows = *RowsOf(options);
  EXPECT_GT(rows, 100U);
  EXPECT_LT(rows, 20'000U);
  options.shard.world = 20;  // More than half as many as stripes.
  EXPECT_EQ(*RowsOf(options), rows);
}

// Not counted, so that it does not matter what a manifest rules out.
TEST_F(MixingRowsTest, FiltersChangeNothing) {
  const auto manifest = model_.dataset->Manifest(model_.folder.path());
  ASSERT_TRUE(manifest.ok());
  const std::string path = model_.folder.File("m.json");
  std::ofstream(path) << *manifest;
  const auto of_manifest = *Dataset::Open(path);
  DatasetScanOptions options = Mixed(100'000);
  const uint32_t rows = *RowsOf(options);
  for (const double least : {0.0, 1e300}) {
    options.scan.filter.where = {{"weight", Compare::kGreater, least}};
    EXPECT_EQ(*RowsOf(options), rows);
    EXPECT_EQ(*MixingRows(options, *of_manifest), rows);
  }
}

TEST_F(MixingRowsTest, ReportGoesByWhatIsAskedFor) {
  const DatasetScanOptions options = Mixed(100'000);
  const auto report = ReportShuffle(*model_.dataset, options, 3);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->mixing_rows, *RowsOf(options));
  EXPECT_EQ(ReportShuffle(*model_.dataset, Mixed(0), 3)->mixing_rows, 0U);
}

TEST_F(MixingRowsTest, WhatIsWrongIsSaid) {
  DatasetScanOptions options = Mixed(1000);
  options.order.mixing_rows = 100;
  const Status both = model_.dataset->NewScan(options).status();
  EXPECT_EQ(both.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(both.ToString().find("mixing_rows 100 and mixing_bytes 1000"), std::string::npos)
      << both.ToString();
  EXPECT_EQ(model_.dataset->CountBatches(options).status().code(), both.code());
  options = Mixed(1000);
  options.scan.memory_bytes = 1000;
  EXPECT_EQ(model_.dataset->NewScan(options).status().code(), StatusCode::kInvalidArgument);
  options = Mixed(1000);
  options.scan.batch_size = 0;
  EXPECT_EQ(model_.dataset->NewScan(options).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ReportShuffle(*model_.dataset, options).status().code(), StatusCode::kInvalidArgument);
  options = Mixed(1000);
  options.scan.features[0].name = "nothing";
  EXPECT_EQ(model_.dataset->NewScan(options).status().code(), StatusCode::kNotFound);
  options = Mixed(1000);
  options.state = "{}";
  EXPECT_EQ(model_.dataset->NewScan(options).status().code(), StatusCode::kBadInput);
}

// One large stripe of empty lists and many small ones: neither has more of a say than its rows.
TEST(MixingWindow, GoByRowsNotByStripes) {
  constexpr size_t kRows = 8000;
  const ModelTable heavy = HistoryTable(7, 2 * kRows);
  ModelTable light = heavy;
  for (ModelColumn& column : light.columns) {
    if (!column.name.starts_with("user.history.") && column.name != "item.viewers") continue;
    for (auto& row : column.rows) row = std::vector<uint64_t>();
  }
  TempFolder folder;
  WriteBytes(folder.File("a.dsi"), WriteTable(Slice(light, Range(0, kRows)), StripesOf(kRows)));
  for (size_t i = 0; i < 16; ++i) {
    WriteBytes(folder.File("b" + std::to_string(10 + i) + ".dsi"),
               WriteTable(Slice(heavy, Range(kRows + i * kRows / 16, kRows + (i + 1) * kRows / 16)),
                          StripesOf(kRows)));
  }
  const auto dataset = *Dataset::Open(folder.path());
  DatasetScanOptions options = Mixed(200'000);
  const auto bytes_of_row = [&](std::vector<DatasetRows> rows) {
    options.rows = std::move(rows);
    return 200'000.0 / *MixingRows(options, *dataset);
  };
  const double of_light = bytes_of_row({{0, kRows}});
  const double of_heavy = bytes_of_row({{kRows, 2 * kRows}});
  EXPECT_GT(of_heavy, 3 * of_light);
  EXPECT_NEAR(bytes_of_row({}), (of_light + of_heavy) / 2, of_heavy / 8);
}

// Beside what a scan without mixing takes.
TEST(MixingWindow, TakeAboutSoManyBytes) {
  if (!MeasuresMemory()) GTEST_SKIP() << "no figure of the heap";
  const ModelDataset model(HistoryTable(7, 20'000), 3, 2000);
  const auto peak_of = [&](uint64_t bytes) {
    DatasetScanOptions options = Mixed(bytes);
    options.order.unit = OrderUnit::kStripe;  // Of blocks many stripes are open at a time.
    const MemoryPeak peak;
    const auto scan = *model.dataset->NewScan(options);
    Batch batch;
    while (*scan->Next(&batch)) {
    }
    return peak.bytes();
  };
  peak_of(0);  // What is read once and kept.
  const uint64_t plain = peak_of(0);
  for (const uint64_t bytes : {500'000U, 1'000'000U}) {
    SCOPED_TRACE(bytes);
    const uint64_t peak = peak_of(bytes);
    EXPECT_GT(peak, plain + bytes / 3) << plain;
    EXPECT_LT(peak, plain + 2 * bytes) << plain;
  }
}

}  // namespace
}  // namespace dsi::test
