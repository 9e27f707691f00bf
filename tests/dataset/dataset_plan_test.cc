// Dataset::Plan: what it says is what a scan in file order then does.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "dsi/tests/dataset/sliced_dataset.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

ScanStats StatsOf(const Dataset& dataset, DatasetScanOptions options) {
  options.scan.batch_size = 1 << 20;
  const auto scan = dataset.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  while (*(*scan)->Next(&batch)) {
  }
  return (*scan)->stats();
}

DatasetPlan PlanOf(const Dataset& dataset, const DatasetScanOptions& options) {
  const auto plan = dataset.Plan(options);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return plan.ok() ? *plan : DatasetPlan();
}

size_t NumStripes(const Dataset& dataset, size_t file) {
  const auto reader = Reader::Open(dataset.files()[file].path);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return (*reader)->stripes().size();
}

DatasetScanOptions Words() {
  DatasetScanOptions options;
  options.scan.features = {{.name = "item.words", .layout = Layout::kJagged}};
  return options;
}

TEST(DatasetPlan, SaysWhatAScanReads) {
  const SlicedDataset model(HistoryTable(3, 600), {200, 250, 150}, 60);
  DatasetScanOptions options = Words();
  const DatasetPlan all = PlanOf(*model.dataset, options);
  const ScanStats stats = StatsOf(*model.dataset, options);
  ASSERT_EQ(all.files.size(), 3U);
  EXPECT_EQ(all.reads.num_rows, 600U);
  const size_t first = NumStripes(*model.dataset, 0);
  const size_t second = NumStripes(*model.dataset, 1);
  EXPECT_GT(first, 2U);
  EXPECT_EQ(all.reads.num_stripes, first + second + NumStripes(*model.dataset, 2));
  EXPECT_EQ(all.reads.stripes_skipped, 0U);
  EXPECT_EQ(all.reads.bytes_needed, stats.bytes_needed);
  EXPECT_GT(all.reads.bytes_needed, 0U);
  EXPECT_GE(all.reads.bytes, all.reads.bytes_needed);
  uint64_t bytes = 0;
  for (const DatasetPlan::File& file : all.files) bytes += file.reads.bytes;
  EXPECT_EQ(bytes, all.reads.bytes);

  // Spans that begin and end within files; those that end where a file does.
  options.rows = {{10, 30}, {199, 200}, {300, 460}};
  const DatasetPlan some = PlanOf(*model.dataset, options);
  ASSERT_EQ(some.files.size(), 3U);
  EXPECT_EQ(some.files[0].reads.num_rows, 21U);
  EXPECT_EQ(some.files[1].reads.num_rows, 150U);
  EXPECT_EQ(some.files[2].reads.num_rows, 10U);
  EXPECT_EQ(some.files[0].reads.num_stripes, 2U);  // One for each span.
  EXPECT_GT(some.files[1].reads.num_stripes, 1U);
  EXPECT_LT(some.files[1].reads.num_stripes, second + 1);
  options.rows = {{200, 450}};
  const DatasetPlan one = PlanOf(*model.dataset, options);
  ASSERT_EQ(one.files.size(), 1U);
  EXPECT_EQ(one.files[0].file, 1U);
  EXPECT_EQ(one.reads.bytes, all.files[1].reads.bytes);

  options.rows = {{0, 601}};
  EXPECT_EQ(model.dataset->Plan(options).status().code(), StatusCode::kInvalidArgument);
  options.rows = {};
  options.scan.features = {{.name = "nothing", .layout = Layout::kJagged}};
  EXPECT_EQ(model.dataset->Plan(options).status().code(), StatusCode::kNotFound);
}

TEST(DatasetPlan, SaysWhatIsSkipped) {
  // Times ascend by 7 from row to row.
  const SlicedDataset model(HistoryTable(8, 1000), {250, 250, 250, 250}, 60);
  DatasetScanOptions options = Words();
  options.scan.filter.where = {{"time", Compare::kGreater, int64_t{1'000'000 + 7 * 620}}};
  const DatasetPlan plan = PlanOf(*model.dataset, options);
  EXPECT_EQ(plan.files_skipped, 0U);  // Without a manifest every file is looked at.
  EXPECT_EQ(plan.reads.stripes_skipped, StatsOf(*model.dataset, options).stripes_skipped);
  const size_t skipped = NumStripes(*model.dataset, 0) + NumStripes(*model.dataset, 1);
  EXPECT_GT(plan.reads.stripes_skipped, skipped);
  ASSERT_EQ(plan.files.size(), 4U);
  EXPECT_EQ(plan.files[0].reads.bytes, 0U);

  const auto manifest = model.dataset->Manifest(model.folder.path());
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  std::ofstream(model.folder.File("all.json")) << *manifest;
  const auto told = Dataset::Open(model.folder.File("all.json"));
  ASSERT_TRUE(told.ok()) << told.status().ToString();
  std::filesystem::remove(model.folder.File("part-1.dsi"));  // Nobody opens it.
  const DatasetPlan by_manifest = PlanOf(**told, options);
  ASSERT_EQ(by_manifest.files.size(), 4U);
  EXPECT_EQ(by_manifest.files_skipped, 2U);
  EXPECT_TRUE(by_manifest.files[0].is_skipped);
  EXPECT_FALSE(by_manifest.files[2].is_skipped);
  EXPECT_EQ(by_manifest.reads.stripes_skipped, plan.reads.stripes_skipped);
  EXPECT_EQ(by_manifest.reads.bytes, plan.reads.bytes);
}

TEST(DatasetPlan, FilesThatLackWhatIsAskedFor) {
  TempFolder folder;
  const ModelTable input = HistoryTable(4, 300);
  const std::vector<std::string> lacks = {"label", "item.words"};
  for (size_t f = 0; f < 2; ++f) {
    ModelTable slice = Slice(input, Range(f * 150, f * 150 + 150));
    const auto is_it = [&](const auto& one) { return one.name == lacks[f]; };
    std::erase_if(slice.schema.features, is_it);
    std::erase_if(slice.columns, is_it);
    WriteBytes(folder.File("part-" + std::to_string(f) + ".dsi"), WriteTable(slice, StripesOf(60)));
  }
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  DatasetScanOptions options = Words();
  const DatasetPlan unfiltered = PlanOf(**dataset, options);
  EXPECT_GT(unfiltered.files[0].reads.bytes, 0U);
  EXPECT_EQ(unfiltered.files[1].reads.bytes, 0U);
  EXPECT_EQ(unfiltered.files_skipped, 0U);
  // The first has no label: no row passes. The second is read for its labels alone.
  options.scan.filter.where = {{"label", Compare::kEqual, 1}};
  const DatasetPlan filtered = PlanOf(**dataset, options);
  EXPECT_TRUE(filtered.files[0].is_skipped);
  EXPECT_EQ(filtered.files[0].reads.stripes_skipped, NumStripes(**dataset, 0));
  EXPECT_EQ(filtered.files_skipped, 1U);
  EXPECT_GT(filtered.files[1].reads.bytes, 0U);
  EXPECT_EQ(filtered.reads.bytes_needed, StatsOf(**dataset, options).bytes_needed);
}

TEST(DatasetPlan, TellsHowFarItIsAndMayBeCancelled) {
  TempFolder folder;
  WriteBytes(folder.File("part.dsi"), WriteTable(HistoryTable(4, 100), StripesOf(60)));
  bool goes_on = true;
  DatasetOptions open;
  open.progress = [&](uint64_t, uint64_t) { return goes_on; };
  const auto dataset = Dataset::Open(folder.path(), open);
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  ASSERT_TRUE((*dataset)->Columns().ok());
  goes_on = false;
  EXPECT_EQ((*dataset)->Plan(Words()).status().code(), StatusCode::kCancelled);
}

// It may not wait for itself.
TEST(DatasetPlan, AFunctionThatIsToldAndAsksForWhatIsBeingMadeIsRefused) {
  TempFolder folder;
  WriteBytes(folder.File("part.dsi"), WriteTable(HistoryTable(4, 100), StripesOf(60)));
  const Dataset* opened = nullptr;
  Status asked;
  DatasetOptions open;
  open.progress = [&](uint64_t, uint64_t) {
    if (opened != nullptr) asked = opened->Columns().status();
    return true;
  };
  const auto dataset = Dataset::Open(folder.path(), open);
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  opened = dataset->get();
  EXPECT_TRUE((*dataset)->Columns().ok());
  EXPECT_EQ(asked.code(), StatusCode::kInvalidArgument) << asked.ToString();
  EXPECT_TRUE((*dataset)->Plan(Words()).ok());
}

}  // namespace
}  // namespace dsi::test
