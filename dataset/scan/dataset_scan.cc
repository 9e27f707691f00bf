#include "dsi/dataset/dataset_scan.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/scan/batch_maker_internal.h"
#include "dsi/dataset/scan/dataset_scan_internal.h"
#include "dsi/dataset/scan/mixing_rows_internal.h"
#include "dsi/reader/scan/ahead_scan_internal.h"
#include "dsi/reader/scan/cancellable_scan_internal.h"

namespace dsi {

DatasetScan::~DatasetScan() = default;

namespace internal {
namespace {

constexpr uint32_t kMaxBatchRows = 1U << 30;  // The inverse of an IKJT is int32.

// What a scan does, settled before any data is read.
struct ScanTask {
  DatasetOrder order;
  BatchShare share;
  ScanState state;  // As it is at the start.
};

// Without `needs_window` a window that is stated in bytes may be left open: it changes no number.
Result<ScanTask> SettleTask(const DatasetFiles& dataset, const DatasetScanOptions& options,
                            bool needs_window) {
  const ScanOptions& scan = options.scan;
  if (scan.batch_size == 0 || scan.batch_size > kMaxBatchRows) {
    return InvalidArgument("batch_size {}, 1 to {} is possible", scan.batch_size, kMaxBatchRows);
  }
  if (scan.row_begin != 0 || scan.row_end != UINT64_MAX)
    return InvalidArgument("rows of a dataset are asked for by DatasetScanOptions::rows");
  DSI_ASSIGN_OR_RETURN(const std::vector<RowSpan> rows, RowsOf(dataset, options.rows));
  OrderOptions asked = options.order;
  if (asked.mixing_bytes != 0 && asked.mixing_rows != 0) {
    return InvalidArgument("mixing_rows {} and mixing_bytes {}: one of them says how much is mixed",
                           asked.mixing_rows, asked.mixing_bytes);
  }
  if (asked.mixing_bytes != 0 && asked.mixing_bytes >= scan.memory_bytes) {
    return InvalidArgument(
        "mixing_bytes {} of memory_bytes {}: a scan takes up to twice what it mixes, "
        "and batches besides",
        asked.mixing_bytes, scan.memory_bytes);
  }
  if (needs_window || !options.state.empty()) {
    DSI_ASSIGN_OR_RETURN(asked, SettleOrder(dataset, options, rows));
  }
  std::span<const uint64_t> unit_ends;
  if (asked.unit == OrderUnit::kFile) unit_ends = dataset.file_ends();
  if (asked.unit == OrderUnit::kStripe) unit_ends = dataset.stripe_ends();
  DSI_ASSIGN_OR_RETURN(DatasetOrder order, DatasetOrder::Make(asked, scan.batch_size,
                                                              dataset.snapshot(), unit_ends, rows));
  ScanState state;
  state.snapshot = dataset.snapshot();
  state.num_rows = order.num_rows();
  state.rows_fingerprint = order.rows_fingerprint();
  state.order = asked;
  state.batch_size = scan.batch_size;
  state.drop_last = scan.drop_last;
  state.StartAnew();
  if (!options.state.empty()) {
    DSI_ASSIGN_OR_RETURN(const ScanState given, ScanState::FromJson(options.state));
    DSI_RETURN_IF_ERROR(given.CheckSameBatches(state));
    state.left = given.Remaining();
  }
  DSI_ASSIGN_OR_RETURN(BatchShare share, BatchShare::Make(state.left, options.shard));
  state.world = options.shard.world;
  state.remainder = options.shard.remainder;
  return ScanTask{std::move(order), std::move(share), std::move(state)};
}

class Handed final : public DatasetScan {
 public:
  Handed(const DatasetFiles* dataset, BatchShare share, ScanState state,
         std::unique_ptr<Scan> source)
      : dataset_(dataset),
        share_(std::move(share)),
        state_(std::move(state)),
        source_(std::move(source)) {}

  Result<bool> Next(Batch* batch) override {
    Result<bool> more = source_->Next(batch);
    if (more.ok() && *more) ++state_.handed_out;
    return more;
  }
  void Cancel() noexcept override { source_->Cancel(); }
  bool is_ready() const noexcept override { return source_->is_ready(); }
  uint64_t num_batches() const noexcept override { return source_->num_batches(); }
  std::span<const ScanColumn> columns() const noexcept override { return source_->columns(); }
  const ScanStats& stats() const noexcept override { return source_->stats(); }

  Result<std::string> state() const override {
    return NoThrow([&]() -> Result<std::string> { return state_.ToJson(); });
  }
  bool is_repeated() const noexcept override {
    return state_.handed_out != 0 && share_.is_repeated(state_.handed_out - 1);
  }
  Status RowsOf(const Batch& batch, std::vector<BatchRow>* rows) const override {
    return NoThrow([&]() -> Status {
      rows->clear();
      rows->reserve(batch.num_rows());
      const std::span<const uint64_t> ends = dataset_->file_ends();
      const std::span<const uint64_t> numbers = batch.row_numbers();
      size_t file = 0;
      for (size_t i = 0; i < batch.num_rows(); ++i) {
        const uint64_t row = numbers.empty() ? batch.first_row() + i : numbers[i];
        if (row >= dataset_->num_rows())
          return InvalidArgument("row {} of a dataset of {}: the batch is another scan's", row,
                                 dataset_->num_rows());
        if (row >= ends[file])
          file =
              static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
        rows->push_back({static_cast<uint32_t>(file), row - (file == 0 ? 0 : ends[file - 1])});
      }
      return Status::Ok();
    });
  }

 private:
  const DatasetFiles* dataset_;
  BatchShare share_;
  ScanState state_;
  std::unique_ptr<Scan> source_;
};

}  // namespace

Result<std::vector<RowSpan>> RowsOf(const DatasetFiles& dataset,
                                    const std::vector<DatasetRows>& asked) {
  std::vector<RowSpan> rows;
  for (const DatasetRows& span : asked) {
    if (span.begin > span.end || span.end > dataset.num_rows() ||
        (!rows.empty() && span.begin < rows.back().end)) {
      return InvalidArgument("rows {} to {} of a dataset of {} rows: spans are ascending and apart",
                             span.begin, span.end, dataset.num_rows());
    }
    if (span.begin != span.end) rows.push_back({span.begin, span.end});
  }
  if (asked.empty() && dataset.num_rows() != 0) rows.push_back({0, dataset.num_rows()});
  return rows;
}

Result<std::unique_ptr<DatasetScan>> MakeDatasetScan(const DatasetFiles& dataset,
                                                     const DatasetScanOptions& options) {
  DSI_ASSIGN_OR_RETURN(ScanTask task, SettleTask(dataset, options, /*needs_window=*/true));
  BatchShare share = task.share;
  DSI_ASSIGN_OR_RETURN(
      std::unique_ptr<Scan> source, MakeCancellableScan([&]() -> Result<std::unique_ptr<Scan>> {
        DSI_ASSIGN_OR_RETURN(
            std::unique_ptr<Scan> made,
            BatchMaker::Make(&dataset, std::move(task.order), share, task.state.snapshot, options));
        if (options.scan.read_ahead_bytes == 0) return made;
        return MakeAheadScan(std::move(made), options.scan);
      }));
  return std::unique_ptr<DatasetScan>(std::make_unique<Handed>(
      &dataset, std::move(share), std::move(task.state), std::move(source)));
}

Result<uint64_t> CountDatasetBatches(const DatasetFiles& dataset,
                                     const DatasetScanOptions& options) {
  DSI_ASSIGN_OR_RETURN(const ScanTask task, SettleTask(dataset, options, /*needs_window=*/false));
  return task.share.size();
}

Result<std::string> ShareDatasetState(const DatasetFiles& dataset,
                                      const DatasetScanOptions& options) {
  DSI_ASSIGN_OR_RETURN(ScanTask task, SettleTask(dataset, options, /*needs_window=*/true));
  const ShardOptions& shard = options.shard;
  ScanState& state = task.state;
  state.left = BatchesOfRun(
      state.left, RunOfRank(CountBatchesOf(state.left), shard.rank, shard.world, shard.remainder));
  state.world = 1;
  state.remainder = Remainder::kUneven;
  return state.ToJson();
}

}  // namespace internal
}  // namespace dsi
