// The scan: cuts the rows asked for into batches, lends stripes their decoders, and keeps the
// figures.
#include "dsi/reader/scan.h"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "dsi/format/error_internal.h"
#include "dsi/reader/batch_internal.h"
#include "dsi/reader/scan_fill_internal.h"
#include "dsi/reader/scan_internal.h"
#include "dsi/reader/scan_stripe_internal.h"

namespace dsi {

Scan::~Scan() = default;

namespace internal {
namespace {

constexpr uint32_t kMaxBatchRows = 1U << 30;  // The inverse of an IKJT is int32.

class FileScan final : public Scan {
 public:
  FileScan(const OpenFile& file, const ReaderOptions& reader_options, const ScanOptions& options,
           uint64_t row_end, std::shared_ptr<const ScanProjection> projection)
      : batch_size_(options.batch_size),
        drop_last_(options.drop_last),
        row_(options.row_begin),
        row_end_(row_end) {
    shared_.file = &file;
    shared_.reader_options = reader_options;
    shared_.projection = std::move(projection);
    shared_.budget.limit = options.memory_bytes;
    const uint64_t rows = row_end - row_;
    num_batches_ = rows / batch_size_ + (rows % batch_size_ != 0 && !drop_last_ ? 1 : 0);
  }

  Result<bool> Next(Batch* batch) override {
    BatchState* const state = BatchAccess::State(batch);
    if (state == nullptr) return InvalidArgument("the batch was moved from");
    state->Clear();
    if (!failed_.ok()) return failed_;
    const uint64_t left = row_end_ - row_;
    if (left == 0 || (drop_last_ && left < batch_size_)) return false;
    Status status;
    try {
      status = Fill(static_cast<uint32_t>(std::min<uint64_t>(left, batch_size_)), state);
    } catch (const std::bad_alloc&) {
      status = Error(StatusCode::kResourceExhausted, "out of memory in the batch at row {}", row_);
    }
    if (!status.ok()) {
      state->Clear();
      failed_ = status.At(shared_.file->file().name());
      return failed_;
    }
    return true;
  }

  uint64_t num_batches() const override { return num_batches_; }
  const ScanStats& stats() const override { return shared_.stats; }

 private:
  Status Fill(uint32_t num_rows, BatchState* state) {
    const ScanProjection& projection = *shared_.projection;
    DSI_RETURN_IF_ERROR(Decode(num_rows));
    for (uint32_t i = 0; i < projection.values.size(); ++i) {
      for (const BatchPiece& piece : pieces_)
        DSI_RETURN_IF_ERROR(piece.decoder->CheckFit(i, row_ + piece.first));
    }
    DSI_RETURN_IF_ERROR(
        LayOutBatch(projection, pieces_, num_rows, shared_.budget.limit, &shared_.stats, state));
    DSI_RETURN_IF_ERROR(FillBatch(projection, pieces_, &dense_scratch_, state));
    state->projection = shared_.projection;
    state->num_rows = num_rows;
    state->first_row = row_;
    row_ += num_rows;
    shared_.stats.rows += num_rows;
    CountReads();
    Release();
    return Status::Ok();
  }

  // Advances the decoders of all stripes that the next rows lie in.
  Status Decode(uint32_t num_rows) {
    const std::vector<StripeRef>& stripes = shared_.file->core().stripes;
    pieces_.clear();
    for (uint32_t done = 0; done < num_rows;) {
      const uint64_t row = row_ + done;
      while (row >= stripes[stripe_].first_row + stripes[stripe_].num_rows) ++stripe_;
      const StripeRef& stripe = stripes[stripe_];
      const auto in_stripe = static_cast<uint32_t>(row - stripe.first_row);
      const uint32_t count = std::min(num_rows - done, stripe.num_rows - in_stripe);
      uint32_t skip = 0;
      if (active_.empty() || active_stripe_ != stripe_) {
        DSI_RETURN_IF_ERROR(Activate());
        skip = in_stripe;
      }
      StripeDecoder* const decoder = active_.back().get();
      DSI_RETURN_IF_ERROR(decoder->Advance(skip, count));
      pieces_.push_back({decoder, done, count});
      done += count;
    }
    return Status::Ok();
  }

  // Puts a decoder, a used one where there is one, on the current stripe.
  Status Activate() {
    if (idle_.empty()) {
      active_.push_back(std::make_unique<StripeDecoder>(&shared_));
    } else {
      active_.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
    active_stripe_ = stripe_;
    DSI_RETURN_IF_ERROR(active_.back()->Start(stripe_));
    shared_.stats.bytes_needed += active_.back()->bytes_needed();
    return Status::Ok();
  }

  // All stripes but the last of a batch are done with.
  void Release() {
    while (active_.size() > 1) {
      idle_.push_back(std::move(active_.front()));
      active_.erase(active_.begin());
    }
    const StripeRef& stripe = shared_.file->core().stripes[active_stripe_];
    if (row_ == stripe.first_row + stripe.num_rows) {
      idle_.push_back(std::move(active_.back()));
      active_.clear();
    }
  }

  void CountReads() {
    shared_.stats.bytes_read = 0;
    shared_.stats.reads = 0;
    for (const auto* decoders : {&active_, &idle_}) {
      for (const auto& decoder : *decoders) {
        shared_.stats.bytes_read += decoder->pages().bytes_read();
        shared_.stats.reads += decoder->pages().reads();
      }
    }
  }

  ScanShared shared_;
  uint32_t batch_size_;
  bool drop_last_;
  uint64_t row_;
  uint64_t row_end_;
  uint64_t num_batches_ = 0;
  size_t stripe_ = 0;
  size_t active_stripe_ = 0;
  std::vector<std::unique_ptr<StripeDecoder>>
      active_;  // Of the current batch; the last is of the current stripe.
  std::vector<std::unique_ptr<StripeDecoder>> idle_;
  std::vector<BatchPiece> pieces_;
  DenseScratch dense_scratch_;
  Status failed_;
};

Result<std::unique_ptr<Scan>> Make(const OpenFile& file, const ReaderOptions& reader_options,
                                   const ScanOptions& options) {
  if (options.batch_size == 0 || options.batch_size > kMaxBatchRows)
    return InvalidArgument("batch_size {}, 1 to {} is possible", options.batch_size, kMaxBatchRows);
  const uint64_t row_end = std::min(options.row_end, file.core().num_rows);
  if (options.row_begin > row_end) {
    return InvalidArgument("rows {} to {} asked for, the file has {}", options.row_begin,
                           options.row_end, file.core().num_rows);
  }
  if (options.features.empty()) DSI_RETURN_IF_ERROR(file.VerifyMetadata());
  const std::vector<StripeRef>& stripes = file.core().stripes;
  const auto ends_before = [](const StripeRef& stripe, uint64_t row) {
    return stripe.first_row + stripe.num_rows <= row;
  };
  const auto starts_before = [](const StripeRef& stripe, uint64_t row) {
    return stripe.first_row < row;
  };
  const auto first =
      std::lower_bound(stripes.begin(), stripes.end(), options.row_begin, ends_before);
  const auto end = std::lower_bound(first, stripes.end(), row_end, starts_before);
  DSI_ASSIGN_OR_RETURN(
      auto projection,
      ResolveProjection(file, options, static_cast<size_t>(first - stripes.begin()),
                        static_cast<size_t>(end - stripes.begin())));
  return std::unique_ptr<Scan>(
      std::make_unique<FileScan>(file, reader_options, options, row_end, std::move(projection)));
}

}  // namespace

Result<std::unique_ptr<Scan>> MakeScan(const OpenFile& file, const ReaderOptions& reader_options,
                                       const ScanOptions& options) {
  try {
    return Make(file, reader_options, options);
  } catch (const std::bad_alloc&) {
    return Error(StatusCode::kResourceExhausted, "out of memory while preparing a scan");
  }
}

}  // namespace internal
}  // namespace dsi
