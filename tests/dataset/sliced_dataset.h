// A dataset of slices of a table as they stand, and what its scans give.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_rows.h"

namespace dsi::test {

inline std::vector<size_t> Range(size_t begin, size_t end) {
  std::vector<size_t> rows;
  for (size_t row = begin; row < end; ++row) rows.push_back(row);
  return rows;
}

// Files of these numbers of rows of one table, as they stand.
struct SlicedDataset {
  TempFolder folder;
  ModelTable table;
  std::unique_ptr<Dataset> dataset;

  SlicedDataset(const ModelTable& input, const std::vector<size_t>& sizes, uint32_t stripe_rows) {
    size_t begin = 0;
    for (size_t f = 0; f < sizes.size(); ++f) {
      WriteBytes(folder.File("part-" + std::to_string(f) + ".dsi"),
                 WriteTable(Slice(input, Range(begin, begin + sizes[f])), StripesOf(stripe_rows)));
      begin += sizes[f];
    }
    table = Slice(input, Range(0, begin));
    auto opened = Dataset::Open(folder.path());
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    dataset = std::move(*opened);
  }
};

// All batches; a column's rows are checked in each.
inline std::vector<std::vector<uint64_t>> Batches(const Dataset& dataset,
                                                  const DatasetScanOptions& options,
                                                  const ModelColumn* checked = nullptr) {
  std::vector<std::vector<uint64_t>> batches;
  const auto scan = dataset.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  if (!scan.ok()) return batches;
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    batches.push_back(FileRows(batch));
    if (checked == nullptr) continue;
    const auto view = batch.Jagged(checked->name);
    EXPECT_TRUE(view.ok());
    std::vector<ModelRow> expected;
    for (const uint64_t row : batches.back()) expected.push_back(checked->rows[row]);
    EXPECT_EQ(RowsOf(*view), expected);
  }
  EXPECT_EQ(batches.size(), (*scan)->num_batches());
  EXPECT_EQ(batches.size(), *dataset.CountBatches(options));
  if (options.state.empty() && options.shard.world == 1 && !options.scan.drop_last) {
    size_t rows = 0;
    for (const auto& of_batch : batches) rows += of_batch.size();
    const auto counted = dataset.CountRows(options);
    EXPECT_TRUE(counted.ok()) << counted.status().ToString();
    EXPECT_EQ(*counted, rows);
  }
  return batches;
}

inline std::vector<uint64_t> Sorted(const std::vector<std::vector<uint64_t>>& batches) {
  std::vector<uint64_t> rows;
  for (const auto& batch : batches) rows.insert(rows.end(), batch.begin(), batch.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

inline std::vector<uint64_t> Numbers(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> rows;
  for (; begin < end; ++begin) rows.push_back(begin);
  return rows;
}

inline std::vector<OrderOptions> Orders() {
  std::vector<OrderOptions> orders;
  for (const OrderUnit unit :
       {OrderUnit::kNone, OrderUnit::kBlock, OrderUnit::kStripe, OrderUnit::kFile}) {
    for (const uint32_t mixing : {0U, 1U, 50U}) {
      for (const Mix mix : {Mix::kSessions, Mix::kRows})
        orders.push_back(
            {.unit = unit, .seed = 3, .block_rows = 2, .mixing_rows = mixing, .mix = mix});
    }
  }
  return orders;
}

}  // namespace dsi::test
