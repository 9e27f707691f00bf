// Small files of a table are merged, and nothing else changes.
#include "dsi/rewrite/compact_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "dsi/rewrite/delete_from_table.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/table_folder.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

// The keys of all rows, in the order of files.
std::vector<int64_t> KeysOf(const std::string& where) {
  const auto dataset = Dataset::Open(where);
  EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
  DatasetScanOptions options;
  options.scan.features = {{.name = "key", .layout = Layout::kPadded, .width = 1}};
  const auto scan = (*dataset)->NewScan(options);
  std::vector<int64_t> keys;
  Batch batch;
  while (*(*scan)->Next(&batch)) {
    const auto* const values = reinterpret_cast<const int64_t*>(batch.Padded("key")->values);
    keys.insert(keys.end(), values, values + batch.num_rows());
  }
  return keys;
}

class CompactTableTest : public testing::Test {
 protected:
  void SetUp() override {
    // Small, small, large, small, small, small.
    for (int i = 0; i < 6; ++i) {
      if (i == 2) {
        AppendLarge("j2");
      } else {
        folder_.Append("j" + std::to_string(i), 100'000 * i, 10);
      }
    }
    keys_ = KeysOf(folder_.where());
    const auto files = Dataset::Open(folder_.where());
    small_ = (*files)->files()[0].bytes;
    large_ = (*files)->files()[2].bytes;
    ASSERT_GT(large_, 20 * small_);
  }

  // Of keys that nothing packs.
  void AppendLarge(const std::string& job) {
    const auto table = folder_.Open();
    const auto staged = table->Stage(job, "t");
    const auto writer = Writer::Create((*staged)->path(), SmallSchema());
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch rows((*writer)->schema());
    std::mt19937_64 random(7);
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(rows.SetInt(0, static_cast<int64_t>(random() >> 8)).ok());
      ASSERT_TRUE(rows.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(rows).ok() && (*writer)->Finish().ok());
    const std::vector<std::string> messages = {*(*staged)->Finish()};
    ASSERT_TRUE(table->Commit(job, messages).ok());
  }

  // A label "extra" of the rows of a file.
  void AddOverlay(size_t file, int64_t num_rows) {
    const auto table = folder_.Open();
    const std::string base = (*Dataset::Open(folder_.where()))->files()[file].path;
    const std::string job = "over-" + std::to_string(file);
    const auto staged = table->Stage(job, "t");
    Schema schema;
    schema.features = {OneColumn("extra", Kind::kLabel, Type::kInt64)};
    const auto writer =
        Writer::Create((*staged)->path(), schema, {.overlay = *BindOverlay(**Reader::Open(base))});
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch rows((*writer)->schema());
    for (int64_t i = 0; i < num_rows; ++i)
      ASSERT_TRUE(rows.SetInt(0, i).ok() && rows.EndRow().ok());
    ASSERT_TRUE((*writer)->Append(rows).ok() && (*writer)->Finish().ok());
    const std::vector<std::string> messages = {*(*staged)->Finish()};
    ASSERT_TRUE(table->Commit(job, messages).ok());
  }

  // Of all rows, as far as they have it.
  std::vector<std::optional<float>> Extras() const {
    const auto dataset = Dataset::Open(folder_.where());
    DatasetScanOptions options;
    options.scan.features = {{.name = "extra", .layout = Layout::kDense}};
    const auto scan = (*dataset)->NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    std::vector<std::optional<float>> values;
    Batch batch;
    while (*(*scan)->Next(&batch)) {
      const auto dense = batch.Dense();
      const auto* const at = reinterpret_cast<const float*>(dense->values);
      for (uint32_t row = 0; row < batch.num_rows(); ++row) {
        values.emplace_back();
        if (dense->present[row] != 0) values.back() = at[row];
      }
    }
    return values;
  }

  TableFolder folder_;
  std::vector<int64_t> keys_;
  uint64_t small_ = 0, large_ = 0;
};

TEST_F(CompactTableTest, SmallFilesBecomeOne) {
  const auto table = folder_.Open();
  CompactOptions options{.file_bytes = large_, .message = "nightly"};
  uint64_t told = 0;
  options.progress = [&](uint64_t done, uint64_t total) {
    told = 10 * done + total;
    return true;
  };
  options.dry_run = true;
  const auto told_only = CompactTable(table.get(), options);
  ASSERT_TRUE(told_only.ok()) << told_only.status().ToString();
  EXPECT_EQ(told_only->snapshot.number, 7U);
  options.dry_run = false;
  const auto report = CompactTable(table.get(), options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->merged, told_only->merged);
  ASSERT_EQ(report->merged.size(), 2U);
  EXPECT_EQ(report->merged[0].size(), 2U);
  EXPECT_EQ(report->merged[1].size(), 3U);
  EXPECT_NEAR(static_cast<double>(report->bytes_before), 5.0 * static_cast<double>(small_), 100);
  EXPECT_LT(report->bytes_after, report->bytes_before);
  EXPECT_EQ(report->snapshot.number, 9U);
  EXPECT_EQ(report->snapshot.message, "nightly");
  EXPECT_EQ(report->snapshot.num_files, 3U);
  EXPECT_EQ(told, 25U);
  // Order and rows are what they were.
  EXPECT_EQ(KeysOf(folder_.where()), keys_);
  EXPECT_EQ(KeysOf(folder_.where() + "@7"), keys_);
  // Nothing more to do.
  options.file_bytes = 3 * small_;
  EXPECT_TRUE(CompactTable(table.get(), options)->merged.empty());
}

TEST_F(CompactTableTest, SizesAreKept) {
  const auto table = folder_.Open();
  const auto runs = [&](uint64_t file_bytes) {
    std::string sizes;
    const auto report = CompactTable(table.get(), {.file_bytes = file_bytes, .dry_run = true});
    for (const auto& run : report->merged) sizes += std::to_string(run.size()) + " ";
    return sizes;
  };
  EXPECT_EQ(runs(0), "");
  EXPECT_EQ(runs(small_), "");
  EXPECT_EQ(runs(2 * small_ - 50), "");
  EXPECT_EQ(runs(2 * small_ + 100), "2 2 ");
  EXPECT_EQ(runs(3 * small_ + 100), "2 3 ");
  EXPECT_EQ(runs(2 * large_), "6 ");
}

TEST_F(CompactTableTest, DeletedRowsAreGoneAndOthersMayCommit) {
  const auto table = folder_.Open();
  ASSERT_TRUE(DeleteFromTable(table.get(), {{"key", Compare::kEqual, 400'003}}).ok());
  bool appended = false;
  CompactOptions options{.file_bytes = large_};
  options.progress = [&](uint64_t, uint64_t) {
    if (!std::exchange(appended, true)) folder_.Append("late", 900'000, 3);
    return true;
  };
  const auto report = CompactTable(table.get(), options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  std::vector<int64_t> expected = keys_;
  std::erase(expected, 400'003);
  for (const int64_t key : {900'000, 900'001, 900'002}) expected.push_back(key);
  EXPECT_EQ(KeysOf(folder_.where()), expected);
  EXPECT_EQ((*Dataset::Open(folder_.where()))->num_rows(), expected.size());
  // What was committed before somebody stops it stays.
  options.file_bytes = 2 * large_;
  options.progress = [](uint64_t, uint64_t) { return false; };
  EXPECT_EQ(CompactTable(table.get(), options).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(KeysOf(folder_.where()), expected);
}

// The large file and a small one get features that others lack.
TEST_F(CompactTableTest, OverlaysAreFoldedWhereAskedFor) {
  const auto table = folder_.Open();
  AddOverlay(2, 5000);
  AddOverlay(4, 10);
  const auto before = Extras();
  CompactOptions options{.file_bytes = large_};
  // Files with overlays end a run.
  auto report = CompactTable(table.get(), options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->merged.size(), 1U);
  EXPECT_EQ(report->merged[0].size(), 2U);
  options.fold_overlays = true;
  report = CompactTable(table.get(), options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->merged.size(), 2U);
  EXPECT_EQ(report->merged[0].size(), 2U);  // The large one and its overlay.
  EXPECT_EQ(report->merged[1].size(), 4U);  // Three small ones, an overlay.
  const auto dataset = Dataset::Open(folder_.where());
  ASSERT_EQ((*dataset)->files().size(), 3U);
  for (const DatasetFile& file : (*dataset)->files()) EXPECT_TRUE(file.overlays.empty());
  EXPECT_EQ(KeysOf(folder_.where()), keys_);
  EXPECT_EQ(Extras(), before);
  EXPECT_TRUE(CompactTable(table.get(), {.file_bytes = 0, .fold_overlays = true})->merged.empty());
}

// Of equal files the one that came after the overlay does not have it; the overlay that two have
// stays.
TEST_F(CompactTableTest, FoldedOverlaysAreOfTheirBasesAlone) {
  const auto table = folder_.Open();
  AddOverlay(0, 10);
  folder_.Append("equal-to-j0", 0, 10);
  folder_.Append("equal-to-j1", 100'000, 10);
  AddOverlay(1, 10);
  const auto before = Extras();
  EXPECT_EQ(std::count_if(before.begin(), before.end(), [](const auto& one) { return !!one; }), 30);
  const auto report =
      CompactTable(table.get(), {.file_bytes = uint64_t{1} << 30, .fold_overlays = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(Extras(), before);
  // "j0" and its overlay; "j2" to "j5" and the one that came last but one.
  ASSERT_EQ(report->merged.size(), 2U);
  EXPECT_EQ(report->merged[0].size(), 2U);
  EXPECT_EQ(report->merged[1].size(), 5U);
}

}  // namespace
}  // namespace dsi::test
