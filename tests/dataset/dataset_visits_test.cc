// The stripes that are read ahead of a scan of a dataset are those that it decodes: all its rows,
// each once, in the order of its loads.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/dataset/scan/dataset_visits_internal.h"
#include "dsi/tests/dataset/sliced_dataset.h"
#include "dsi/tests/support/fail_each.h"
#include "dsi/tests/support/forked_child.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kBatchSize = 10;

class DatasetVisitsTest : public ::testing::Test {
 protected:
  // One of the files has no rows.
  DatasetVisitsTest() : sliced_(test::HistoryTable(20, 300), {100, 50, 0, 130}, 40) {}

  const DatasetFiles& files() const { return DatasetAccess::Files(*sliced_.dataset); }

  struct Visits {
    std::vector<StripeVisit> list;
    std::vector<std::string> opened;  // Of each; "-": it is not read ahead.
  };

  using What = DatasetVisits::What;
  Visits Of(const DatasetScanOptions& options, const std::vector<RowSpan>& rows,
            What what = What::kBatches) {
    Visits found;
    auto order = DatasetOrder::Make(options.order, kBatchSize, 1, {}, rows);
    const uint64_t num_batches = (order->num_rows() + kBatchSize - 1) / kBatchSize;
    const BatchSpan all{0, num_batches};
    auto share = BatchShare::Make(std::span(&all, 1), options.shard);
    MemoryBudget budget;
    ScanWorkers workers(&budget, 1);
    auto scanned = ScanFiles::Make(&files(), options, false, &workers, &budget);
    if (!order.ok() || !share.ok() || !scanned.ok()) {
      ADD_FAILURE() << scanned.status().ToString();
      return found;
    }
    DatasetVisits visits(what, scanned->get(), &*order, &*share);
    while (auto visit = visits.Next()) {
      auto opened = visits.Open(visit->key);
      EXPECT_TRUE(opened.ok()) << opened.status().ToString();
      found.opened.push_back(opened.ok() && *opened ? (*opened)->file->file().name() : "-");
      if (opened.ok() && *opened) {
        EXPECT_EQ((*opened)->stripe, visit->key.stripe);
        EXPECT_EQ((*opened)->projection->columns[0].name,
                  what == What::kFilter ? "label" : "item.words");
      }
      found.list.push_back(*std::move(visit));
    }
    // What the scan decodes is what was told.
    for (uint64_t b = 0; b < share->size(); ++b) mine_.push_back(share->at(b));
    std::vector<RowSpan> spans;
    for (const uint64_t b : mine_) {
      std::vector<RowSpan> of_batch;
      const uint64_t end = std::min<uint64_t>((b + 1) * kBatchSize, order->num_rows());
      order->Find(b * kBatchSize, end, &of_batch);
      spans.insert(spans.end(), of_batch.begin(), of_batch.end());
    }
    for (const RowSpan& span : spans) {
      for (uint64_t row = span.begin; row < span.end; ++row) wanted_.push_back(row);
    }
    std::sort(wanted_.begin(), wanted_.end());
    return found;
  }

  // Rows of the dataset, those of each visit ascending.
  std::vector<uint64_t> RowsOf(const StripeVisit& visit) const {
    uint64_t first = files().files()[visit.key.file].first_row;
    for (size_t s = 0; s < visit.key.stripe; ++s) first += files().stripe_rows(visit.key.file)[s];
    std::vector<uint64_t> rows;
    for (const StripeRows& span : visit.rows) {
      EXPECT_LT(span.begin, span.end);
      EXPECT_LE(span.end, span.num_rows);
      EXPECT_EQ(span.num_rows, files().stripe_rows(visit.key.file)[visit.key.stripe]);
      for (uint32_t row = span.begin; row < span.end; ++row) rows.push_back(first + row);
    }
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    return rows;
  }

  void CheckAll(const Visits& visits) {
    std::vector<uint64_t> rows;
    for (size_t i = 0; i < visits.list.size(); ++i) {
      EXPECT_TRUE(i == 0 || visits.list[i - 1].key < visits.list[i].key);
      for (const uint64_t row : RowsOf(visits.list[i])) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, wanted_);
  }

  test::SlicedDataset sliced_;
  std::vector<uint64_t> mine_;    // Batches.
  std::vector<uint64_t> wanted_;  // Rows of them.
};

DatasetScanOptions Words() {
  DatasetScanOptions options;
  options.scan.features = {{.name = "item.words", .layout = Layout::kJagged}};
  options.scan.batch_size = kBatchSize;
  return options;
}

TEST_F(DatasetVisitsTest, InFileOrderEachStripeComesOnceAndWhole) {
  const Visits visits = Of(Words(), {{0, 280}});
  ASSERT_EQ(visits.list.size(), files().stripe_ends().size());
  CheckAll(visits);
  for (size_t i = 0; i < visits.list.size(); ++i) {
    EXPECT_EQ(visits.list[i].rows.size(), 1U);
    EXPECT_EQ(visits.opened[i], sliced_.dataset->files()[visits.list[i].key.file].path);
  }
}

TEST_F(DatasetVisitsTest, RowsThatWereNotAskedForAreNoVisit) {
  const Visits visits = Of(Words(), {{35, 45}, {60, 70}, {150, 152}});
  CheckAll(visits);
  ASSERT_EQ(visits.list.size(), 3U);
  EXPECT_EQ(visits.list[1].rows.size(), 2U);
  EXPECT_EQ(visits.list[2].key.file, 3U);
}

TEST_F(DatasetVisitsTest, BlocksAndWindowsAndRanksComeAsTheyAreLoaded) {
  for (const uint32_t block : {7U, 25U, 90U}) {
    for (const uint32_t window : {0U, 30U, 60U}) {
      for (uint32_t rank = 0; rank < 2; ++rank) {
        DatasetScanOptions options = Words();
        options.order = {
            .unit = OrderUnit::kBlock, .seed = 5, .block_rows = block, .mixing_rows = window};
        options.shard = {.rank = rank, .world = 2};
        mine_.clear();
        wanted_.clear();
        const Visits visits = Of(options, {{0, 280}});
        if (window == 0) {
          CheckAll(visits);
          continue;
        }
        // Of a window all rows are decoded, of which the rank hands out some.
        std::vector<uint64_t> rows;
        for (const StripeVisit& visit : visits.list) {
          for (const uint64_t row : RowsOf(visit)) rows.push_back(row);
        }
        std::sort(rows.begin(), rows.end());
        EXPECT_TRUE(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
        EXPECT_LE(rows.size(), mine_.size() * kBatchSize + 2 * window);
        EXPECT_GE(rows.size(), mine_.size() * kBatchSize - kBatchSize);
      }
    }
  }
}

TEST_F(DatasetVisitsTest, WhatAFilterLooksAtAndTheRestAreReadByThemselves) {
  DatasetScanOptions options = Words();
  options.scan.filter.where = {{"label", Compare::kEqual, 1}};
  for (const What what : {What::kFilter, What::kFiltered}) {
    const Visits visits = Of(options, {{0, 280}}, what);
    ASSERT_EQ(visits.opened.size(), files().stripe_ends().size());
    for (const std::string& opened : visits.opened) EXPECT_NE(opened, "-");
  }
  // By the statistics of the files.
  options.scan.filter.where = {{"label", Compare::kGreater, 1000}};
  for (const What what : {What::kFilter, What::kFiltered}) {
    for (const std::string& opened : Of(options, {{0, 280}}, what).opened) EXPECT_EQ(opened, "-");
  }
}

// Others would wait for it for ever.
TEST_F(DatasetVisitsTest, AFileThatThereWasNoMemoryForIsNotTakenForOneThatIsBeingOpened) {
  EXPECT_TRUE(test::InForkedChild([&] {
    const auto open_twice = [&]() -> Status {
      MemoryBudget budget;
      ScanWorkers workers(&budget, 1);
      DSI_ASSIGN_OR_RETURN(const auto scanned,
                           ScanFiles::Make(&files(), Words(), false, &workers, &budget));
      const auto open = [&] { return scanned->OpenAhead(0, 0).status(); };
      const Status first = NoThrow(open);
      const Status second = NoThrow(open);
      return first.ok() ? second : first;
    };
    test::FailEach("open", [&] { return NoThrow(open_twice); });
    return !HasFailure();
  }));
}

TEST_F(DatasetVisitsTest, FewFilesAreOpenedAhead) {
  constexpr size_t kFiles = 20;
  const test::SlicedDataset many(test::HistoryTable(20, 300), std::vector<size_t>(kFiles, 10), 40);
  MemoryBudget budget;
  ScanWorkers workers(&budget, 1);
  const auto scanned =
      ScanFiles::Make(&DatasetAccess::Files(*many.dataset), Words(), false, &workers, &budget);
  ASSERT_TRUE(scanned.ok()) << scanned.status().ToString();
  size_t opened = 0;
  for (; opened < kFiles && (*scanned)->MayOpenAhead(opened); ++opened)
    ASSERT_TRUE((*scanned)->OpenAhead(opened, 0).ok());
  EXPECT_EQ(opened, 8U);
  EXPECT_TRUE((*scanned)->MayOpenAhead(3));
  ASSERT_TRUE((*scanned)->Open(0, 0).ok());
  EXPECT_TRUE((*scanned)->MayOpenAhead(opened));
}

// Batches are the same bytes, whatever is read ahead.
TEST_F(DatasetVisitsTest, BatchesAreThoseOfAScanWithoutIt) {
  DatasetScanOptions options = Words();
  options.order = {.unit = OrderUnit::kBlock, .seed = 3, .block_rows = 25, .mixing_rows = 60};
  for (const bool filters : {false, true}) {
    if (filters) options.scan.filter.where = {{"label", Compare::kEqual, 1}};
    options.scan.read_ahead_bytes = 0;
    const auto expected = test::Batches(*sliced_.dataset, options);
    EXPECT_EQ(expected.size(), 28U);
    for (const uint64_t bytes : {uint64_t{1}, uint64_t{64} << 10, uint64_t{64} << 20}) {
      options.scan.read_ahead_bytes = bytes;
      EXPECT_EQ(test::Batches(*sliced_.dataset, options), expected) << bytes;
    }
  }
}

}  // namespace
}  // namespace dsi::internal
