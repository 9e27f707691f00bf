// Makes the batches of one rank, one after the other: from a number of the order to rows, from rows
// to a window, from a window to tensors.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/dataset/dataset_scan.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/order/scan_state_internal.h"
#include "dsi/dataset/order/row_order_internal.h"
#include "dsi/dataset/scan/dataset_visits_internal.h"
#include "dsi/dataset/scan/window_internal.h"

namespace dsi::internal {

class BatchMaker final : public Scan {
 public:
  // The dataset outlives it. `snapshot` is that of the rows that are ordered.
  static Result<std::unique_ptr<BatchMaker>> Make(const DatasetFiles* dataset, DatasetOrder order,
                                                  BatchShare share, uint64_t snapshot,
                                                  const DatasetScanOptions& options);
  ~BatchMaker() override;

  Result<bool> Next(Batch* batch) override;
  uint64_t num_batches() const noexcept override { return share_.size(); }
  std::span<const ScanColumn> columns() const noexcept override { return columns_; }
  const ScanStats& stats() const noexcept override { return stats_; }

 private:
  BatchMaker(DatasetOrder order, BatchShare share, uint64_t snapshot,
             const DatasetScanOptions& options);
  Status NextBatch(Batch* batch, bool* more);
  Status TakeRows(uint64_t number);
  Status LoadWindow(const RowSpan& load);
  Status LoadRows(const RowSpan& load, bool at_once);
  std::unique_ptr<DatasetVisits> Visits(DatasetVisits::What what) const;
  void ReadAhead(bool filters);
  void SortByBatch();
  Status Fill(BatchState* state);
  void CountWork();

  MemoryBudget budget_;
  FetchBudgets fetch_budgets_;
  ScanWorkers workers_;
  const DatasetOrder order_;
  const BatchShare share_;
  const uint64_t snapshot_;
  const OrderOptions options_;
  const uint32_t batch_size_;
  BatchFiller filler_;
  MemoryCharge rows_;  // For the arrays below that have an item for each row.
  std::vector<ScanColumn> columns_;
  std::unique_ptr<ScanFiles> files_;
  std::unique_ptr<Window> window_;
  uint64_t loaded_window_ = UINT64_MAX;
  std::vector<RowSpan> spans_;
  std::vector<uint32_t> sessions_, dealt_;
  std::vector<uint32_t> batch_of_, next_in_batch_;
  std::vector<uint32_t> by_batch_;  // Rows of the window: those of its first batch, ascending, …
  uint64_t next_ = 0;               // Batch of the share.
  std::vector<BatchPiece> pieces_;
  std::vector<uint64_t> numbers_;
  ScanStats made_;  // Of batches; that of files is counted elsewhere.
  ScanStats stats_;
  Status failed_;
  // The last here: they are over before what they work for.
  std::unique_ptr<StripeFetcher> filter_fetcher_, fetcher_;
};

}  // namespace dsi::internal
