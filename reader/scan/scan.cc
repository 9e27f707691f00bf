// The scan: cuts the rows asked for into batches and keeps the figures.
#include "dsi/reader/scan.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/stopwatch_internal.h"
#include "dsi/reader/scan/ahead_scan_internal.h"
#include "dsi/reader/scan/batch_internal.h"
#include "dsi/reader/scan/cancellable_scan_internal.h"
#include "dsi/reader/scan/file_visits_internal.h"
#include "dsi/reader/scan/fill_batch_internal.h"
#include "dsi/reader/scan/look_at_scan_internal.h"
#include "dsi/reader/scan/row_picker_internal.h"
#include "dsi/reader/scan/row_range_internal.h"
#include "dsi/reader/scan/scan_internal.h"
#include "dsi/reader/scan/stripe_decoders_internal.h"

namespace dsi {

Scan::~Scan() = default;

namespace internal {
namespace {

constexpr uint32_t kMaxBatchRows = 1U << 30;  // The inverse of an IKJT is int32.

// What a column takes in a projection, names and places of its tensors included.
constexpr uint64_t kColumnBytes =
    sizeof(OpenColumn) + sizeof(ScanValues) + 2 * sizeof(ScanOutput) + sizeof(ScanColumn);

class FileScan final : public Scan {
 public:
  FileScan(const OpenFile& file, const ReaderOptions& reader_options, const ScanOptions& options,
           const RowRange& range)
      : budget_{.limit = options.memory_bytes},
        fetch_budgets_(options),
        ahead_(&file.file(), reader_options, &budget_),
        file_(file.Through(&ahead_)),
        workers_(&budget_, options.threads),
        shared_(&budget_, &workers_),
        records_(&budget_),
        filler_(&budget_),
        batch_size_(options.batch_size),
        drop_last_(options.drop_last),
        row_(range.begin),
        row_end_(range.end),
        decoders_(&shared_, options.batch_size) {
    shared_.file = &file_;
    shared_.stored_file = &file;
    shared_.reader_options = &reader_options;
    const uint64_t rows = row_end_ - row_;
    num_batches_ = rows / batch_size_ + (rows % batch_size_ != 0 && !drop_last_ ? 1 : 0);
  }

  // Helpers may be at work for batches that nobody will ask for.
  ~FileScan() override { shared_.team.StopAll(); }

  Status Prepare(const ScanOptions& options, const RowRange& range) {
    DSI_ASSIGN_OR_RETURN(LookedAt looked_at, LookAtScan(file_, *shared_.reader_options, options,
                                                        range, LookFor::kBatches));
    if (options.features.empty()) {
      DSI_RETURN_IF_ERROR(records_.Add(shared_.file->core().columns.count * kColumnBytes));
      DSI_RETURN_IF_ERROR(shared_.file->VerifyMetadata(&budget_));
    }
    DSI_ASSIGN_OR_RETURN(shared_.projection,
                         ResolveProjection(*shared_.file, options, range.first_stripe,
                                           range.end_stripe, std::move(looked_at.columns)));
    records_.Set(shared_.projection->outputs.size() * kColumnBytes);
    columns_ = shared_.projection->ScanColumns();
    if (!options.filter.empty() || file_.num_deleted() != 0)
      DSI_RETURN_IF_ERROR(MakePicker(options, range));
    if (picker_ == nullptr) {
      decoders_.DecodeAhead(std::make_unique<FileVisits>(shared_.Visited(range.first_stripe), range,
                                                         nullptr, nullptr));
    }
    if (options.read_ahead_bytes == 0) return Status::Ok();
    const bool is_known = picker_ == nullptr || !HasPredicates(options.filter);
    fetcher_ = std::make_unique<StripeFetcher>(
        std::make_unique<FileVisits>(shared_.Visited(range.first_stripe), range, picker_.get(),
                                     is_known ? nullptr : &guess_),
        &fetch_budgets_.batches);
    shared_.fetcher = fetcher_.get();
    if (!is_known) ReadFilterAhead(range);
    return Status::Ok();
  }

  Result<bool> Next(Batch* batch) override {
    bool more = false;
    Status status;
    {
      const Stopwatch waits(&shared_.stats.seconds.wait);
      status = NoThrow([&] { return NextBatch(batch, &more); });
    }
    CountWork();
    if (status.ok()) return more;
    if (batch == nullptr) return status;  // The scan goes on.
    BatchAccess::Clear(batch);
    if (failed_.ok()) {
      failed_ = NoThrow([&] { return status.At(shared_.file->file().name()); });
      status = NoThrow([&] { return failed_; });
    }
    return status;
  }

  uint64_t num_batches() const noexcept override { return num_batches_; }
  std::span<const ScanColumn> columns() const noexcept override { return columns_; }
  const ScanStats& stats() const noexcept override { return stats_; }

 private:
  Status MakePicker(const ScanOptions& options, const RowRange& range) {
    DSI_ASSIGN_OR_RETURN(
        filter_source_,
        FilterSource::Make(file_, options.filter, range.first_stripe, range.end_stripe, &budget_));
    DSI_ASSIGN_OR_RETURN(picker_, RowPicker::Make({{.source = &*filter_source_,
                                                    .file = &file_,
                                                    .stored_file = shared_.stored_file,
                                                    .reader_options = shared_.reader_options}},
                                                  options.filter, {}, range, &budget_));
    picker_->set_guess(&guess_);
    return Status::Ok();
  }

  // The filter is stripes ahead of the batches: it has a fetcher of its own.
  void ReadFilterAhead(const RowRange& range) {
    filter_fetcher_ = std::make_unique<StripeFetcher>(
        std::make_unique<FileVisits>(
            VisitedStripe{shared_.stored_file, shared_.reader_options, filter_source_->projection(),
                          range.first_stripe},
            range, picker_.get(), nullptr),
        &fetch_budgets_.filter);
    picker_->ReadFrom(filter_fetcher_.get(), {});
  }

  Status NextBatch(Batch* batch, bool* more) {
    if (batch == nullptr) return InvalidArgument("no batch to fill");
    if (!shared_.team.is_here()) return InvalidArgument(kForked);
    BatchState* const state = BatchAccess::State(batch);
    state->Clear();
    if (!failed_.ok()) return failed_;
    BatchRows rows;
    DSI_RETURN_IF_ERROR(PickRows(&rows));
    if (rows.count == 0) return Status::Ok();
    DSI_RETURN_IF_ERROR(Fill(rows, state));
    *more = true;
    return Status::Ok();
  }

  // The rows of the next batch; none at the end.
  Status PickRows(BatchRows* rows) {
    rows->first = row_;
    uint64_t left = row_end_ - row_;
    if (picker_ != nullptr) {
      DSI_RETURN_IF_ERROR(picker_->Ahead(batch_size_));
      rows->is_picked = true;
      rows->picked = picker_->ready();
      left = rows->picked.size();
    }
    rows->count = static_cast<uint32_t>(std::min<uint64_t>(left, batch_size_));
    if (drop_last_ && rows->count < batch_size_) rows->count = 0;
    if (picker_ != nullptr) rows->picked = rows->picked.first(rows->count);
    return Status::Ok();
  }

  Status Fill(const BatchRows& rows, BatchState* state) {
    {
      const Stopwatch decodes(&shared_.stats.seconds.decode);
      DSI_RETURN_IF_ERROR(decoders_.Decode(rows));
    }
    {
      const Stopwatch fills(&shared_.stats.seconds.fill);
      DSI_RETURN_IF_ERROR(filler_.Fill(shared_.projection, decoders_.pieces(), rows.count,
                                       &shared_.team, &shared_.stats, state));
    }
    state->row_numbers.assign(rows.picked.begin(), rows.picked.end());
    state->first_row = rows.at(0);
    row_ = rows.at(rows.count - 1) + 1;
    if (picker_ != nullptr) picker_->Take(rows.count);
    decoders_.Release(row_);
    return Status::Ok();
  }

  void CountWork() {
    stats_ = shared_.stats;
    stats_.threads = static_cast<uint32_t>(shared_.team.size());
    stats_.values_decoded = workers_.values_decoded();
    const PageWork work = decoders_.work();
    stats_.bytes_read += work.bytes;
    stats_.reads += work.reads;
    stats_.seconds.read = std::min(work.seconds_waited, stats_.seconds.decode);
    stats_.seconds.decode -= stats_.seconds.read;
    if (picker_ == nullptr) return;
    stats_.rows_dropped = picker_->rows_dropped();
    stats_.stripes_skipped = picker_->stripes_skipped();
    const PageWork picked = picker_->work();
    stats_.bytes_read += picked.bytes;
    stats_.bytes_needed += picker_->bytes_needed();
    stats_.reads += picked.reads;
    stats_.values_decoded += picker_->values_decoded();
  }

  MemoryBudget budget_;
  FetchBudgets fetch_budgets_;
  LookAhead ahead_;
  OpenFile file_;  // Through ahead_.
  ScanWorkers workers_;
  ScanShared shared_;
  MemoryCharge records_;  // For the projection.
  BatchFiller filler_;
  ScanStats stats_;
  uint32_t batch_size_;
  bool drop_last_;
  uint64_t row_;
  uint64_t row_end_;
  std::vector<ScanColumn> columns_;
  uint64_t num_batches_ = 0;
  std::optional<FilterSource> filter_source_;
  PassingGuess guess_;
  std::unique_ptr<RowPicker> picker_;  // None where every row passes.
  StripeDecoders decoders_;
  Status failed_;
  // The last here: they are over before what they work for.
  std::unique_ptr<StripeFetcher> filter_fetcher_, fetcher_;
};

}  // namespace

Result<std::unique_ptr<Scan>> MakeScan(const OpenFile& file, const ReaderOptions& reader_options,
                                       const ScanOptions& options) {
  if (options.batch_size == 0 || options.batch_size > kMaxBatchRows)
    return InvalidArgument("batch_size {}, 1 to {} is possible", options.batch_size, kMaxBatchRows);
  DSI_ASSIGN_OR_RETURN(const RowRange range, FindRange(file, options));
  return MakeCancellableScan([&]() -> Result<std::unique_ptr<Scan>> {
    auto scan = std::make_unique<FileScan>(file, reader_options, options, range);
    DSI_RETURN_IF_ERROR(scan->Prepare(options, range));
    if (options.read_ahead_bytes == 0) return std::unique_ptr<Scan>(std::move(scan));
    return MakeAheadScan(std::move(scan), options);
  });
}

Result<uint64_t> CountScanRows(const OpenFile& file, const ReaderOptions& reader_options,
                               const ScanOptions& options) {
  DSI_ASSIGN_OR_RETURN(const RowRange range, FindRange(file, options));
  if (options.filter.empty() && file.num_deleted() == 0) return range.end - range.begin;
  MemoryBudget budget{.limit = options.memory_bytes, .used = 0};
  LookAhead ahead(&file.file(), reader_options, &budget);
  const OpenFile looked_at = file.Through(&ahead);
  DSI_RETURN_IF_ERROR(
      LookAtScan(looked_at, reader_options, options, range, LookFor::kRows).status());
  DSI_ASSIGN_OR_RETURN(
      const FilterSource source,
      FilterSource::Make(looked_at, options.filter, range.first_stripe, range.end_stripe, &budget));
  DSI_ASSIGN_OR_RETURN(const auto picker, RowPicker::Make({{.source = &source,
                                                            .file = &looked_at,
                                                            .stored_file = &file,
                                                            .reader_options = &reader_options}},
                                                          options.filter, {}, range, &budget));
  do {
    picker->Take(picker->ready().size());
    DSI_RETURN_IF_ERROR(picker->Ahead(1));
  } while (!picker->ready().empty());
  return range.end - range.begin - picker->rows_dropped();
}

}  // namespace internal
}  // namespace dsi
