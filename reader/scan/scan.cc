// The scan: cuts the rows asked for into batches, lends stripes their decoders, and keeps the
// figures.
#include "dsi/reader/scan.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/reader/scan/batch_internal.h"
#include "dsi/reader/scan/row_picker_internal.h"
#include "dsi/reader/scan/fill_batch_internal.h"
#include "dsi/reader/scan/scan_internal.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"

namespace dsi {

Scan::~Scan() = default;

namespace internal {
namespace {

constexpr uint32_t kMaxBatchRows = 1U << 30;  // The inverse of an IKJT is int32.

// What a column takes in a projection, names and places of its tensors included.
constexpr uint64_t kColumnBytes =
    sizeof(OpenColumn) + sizeof(ScanValues) + 2 * sizeof(ScanOutput) + sizeof(ScanColumn);

// The rows asked for, and the stripes they lie in.
struct RowRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  size_t first_stripe = 0;
  size_t end_stripe = 0;
};

class FileScan final : public Scan {
 public:
  FileScan(const OpenFile& file, const ReaderOptions& reader_options, const ScanOptions& options,
           const RowRange& range)
      : shared_(&budget_),
        records_(&budget_),
        slab_(&budget_),
        batch_size_(options.batch_size),
        drop_last_(options.drop_last),
        row_(range.begin),
        row_end_(range.end),
        chosen_(&budget_) {
    budget_.limit = options.memory_bytes;
    shared_.file = &file;
    shared_.reader_options = reader_options;
    const uint64_t rows = row_end_ - row_;
    num_batches_ = rows / batch_size_ + (rows % batch_size_ != 0 && !drop_last_ ? 1 : 0);
  }

  Status Prepare(const ScanOptions& options, const RowRange& range) {
    if (options.features.empty()) {
      DSI_RETURN_IF_ERROR(records_.Add(shared_.file->core().columns.count * kColumnBytes));
      DSI_RETURN_IF_ERROR(shared_.file->VerifyMetadata(&budget_));
    }
    DSI_ASSIGN_OR_RETURN(
        shared_.projection,
        ResolveProjection(*shared_.file, options, range.first_stripe, range.end_stripe));
    records_.Set(shared_.projection->outputs.size() * kColumnBytes);
    for (const ScanOutput& output : shared_.projection->outputs) {
      columns_.push_back({output.name, output.layout, output.dtype,
                          output.layout == Layout::kPadded || output.layout == Layout::kPaddedIkjt
                              ? output.width
                              : 0});
    }
    if (options.filter.empty()) return Status::Ok();
    DSI_ASSIGN_OR_RETURN(picker_,
                         RowPicker::Make(*shared_.file, shared_.reader_options, options, range.end,
                                         range.first_stripe, range.end_stripe, &budget_));
    return Status::Ok();
  }

  Result<bool> Next(Batch* batch) override {
    bool more = false;
    Status status = NoThrow([&] { return NextBatch(batch, &more); });
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
  Status NextBatch(Batch* batch, bool* more) {
    if (batch == nullptr) return InvalidArgument("no batch to fill");
    BatchState* const state = BatchAccess::State(batch);
    state->Clear();
    if (!failed_.ok()) return failed_;
    uint32_t num_rows = 0;
    DSI_RETURN_IF_ERROR(PickRows(&num_rows));
    if (num_rows == 0) return Status::Ok();
    DSI_RETURN_IF_ERROR(Fill(num_rows, state));
    *more = true;
    return Status::Ok();
  }

  // How many rows the next batch has; 0 at the end.
  Status PickRows(uint32_t* num_rows) {
    uint64_t left = row_end_ - row_;
    if (picker_ != nullptr) {
      DSI_RETURN_IF_ERROR(picker_->Ahead(batch_size_));
      picked_ = picker_->ready();
      left = picked_.size();
    }
    *num_rows = static_cast<uint32_t>(std::min<uint64_t>(left, batch_size_));
    if (drop_last_ && *num_rows < batch_size_) *num_rows = 0;
    return Status::Ok();
  }

  Status Fill(uint32_t num_rows, BatchState* state) {
    const ScanProjection& projection = *shared_.projection;
    if (picker_ != nullptr) picked_ = picked_.first(num_rows);
    DSI_RETURN_IF_ERROR(Decode(num_rows));
    for (uint32_t i = 0; i < projection.values.size(); ++i) {
      for (const BatchPiece& piece : pieces_) {
        if (piece.gathered == nullptr) DSI_RETURN_IF_ERROR(piece.decoder->CheckFit(i));
      }
    }
    DSI_RETURN_IF_ERROR(LayOut(num_rows, state));
    DSI_RETURN_IF_ERROR(FillBatch(projection, pieces_, &dense_scratch_, state));
    state->projection = shared_.projection;
    state->row_numbers.assign(picked_.begin(), picked_.end());
    state->num_rows = num_rows;
    state->first_row = RowAt(0);
    row_ = RowAt(num_rows - 1) + 1;
    if (picker_ != nullptr) picker_->Take(num_rows);
    shared_.stats.rows += num_rows;
    Release();
    return Status::Ok();
  }

  // The slab is charged as far as this scan asked for it: what a batch brings along is its owner's.
  Status LayOut(uint32_t num_rows, BatchState* state) {
    const std::byte* const before = state->slab;
    const uint64_t room = budget_.left() + slab_.bytes();
    DSI_RETURN_IF_ERROR(
        LayOutBatch(*shared_.projection, pieces_, num_rows, room, &shared_.stats, state));
    const uint64_t asked = state->slab != before ? state->capacity : state->used;
    slab_.Set(std::max(slab_.bytes(), std::min(asked, room)));
    return Status::Ok();
  }

  // Row of the file that is row i of the batch being made.
  uint64_t RowAt(uint32_t i) const { return picker_ != nullptr ? picked_[i] : row_ + i; }

  // Advances the decoders of all stripes that the next rows lie in.
  Status Decode(uint32_t num_rows) {
    const std::vector<StripeRef>& stripes = shared_.file->core().stripes;
    pieces_.clear();
    size_t num_gathered = 0;
    if (picker_ != nullptr && chosen_.size() < num_rows) chosen_.resize(num_rows);
    for (uint32_t done = 0; done < num_rows;) {
      const uint64_t row = RowAt(done);
      while (row >= stripes[stripe_].first_row + stripes[stripe_].num_rows) ++stripe_;
      const StripeRef& stripe = stripes[stripe_];
      const auto in_stripe = static_cast<uint32_t>(row - stripe.first_row);
      uint32_t count = std::min(num_rows - done, stripe.num_rows - in_stripe);
      uint32_t reach = count;
      if (picker_ != nullptr) {
        const auto begin = picked_.begin() + done;
        count = static_cast<uint32_t>(
            std::lower_bound(begin, picked_.end(), stripe.first_row + stripe.num_rows) - begin);
        reach = static_cast<uint32_t>(RowAt(done + count - 1) - row) + 1;
      }
      if (active_.empty() || active_stripe_ != stripe_) DSI_RETURN_IF_ERROR(Activate());
      BatchPiece piece{.decoder = active_.back().get(), .first = done, .num_rows = count};
      if (reach > batch_size_) {
        if (num_gathered == gathered_.size())
          gathered_.push_back(std::make_unique<GatheredRows>(&shared_));
        piece.gathered = gathered_[num_gathered++].get();
        DSI_RETURN_IF_ERROR(Gather(stripe, piece));
      } else {
        DSI_RETURN_IF_ERROR(AdvanceOver(stripe, piece.decoder, done, count));
      }
      pieces_.push_back(piece);
      done += count;
    }
    return Status::Ok();
  }

  // Rows that reach over more than a batch without a filter does: no more of them at a time.
  Status Gather(const StripeRef& stripe, const BatchPiece& piece) {
    piece.gathered->Start(piece.decoder);
    const uint32_t end = piece.first + piece.num_rows;
    for (uint32_t first = piece.first; first < end;) {
      const uint64_t block_end = RowAt(first) + batch_size_;
      uint32_t next = first + 1;
      while (next < end && RowAt(next) < block_end) ++next;
      DSI_RETURN_IF_ERROR(AdvanceOver(stripe, piece.decoder, first, next - first));
      DSI_RETURN_IF_ERROR(piece.gathered->Add());
      first = next;
    }
    return piece.gathered->Finish();
  }

  // Moves a decoder to rows [first, first + count) of the batch and those between them.
  Status AdvanceOver(const StripeRef& stripe, StripeDecoder* decoder, uint32_t first,
                     uint32_t count) {
    const uint64_t row = RowAt(first);
    const auto reach = static_cast<uint32_t>(RowAt(first + count - 1) - row) + 1;
    std::span<const uint32_t> chosen;
    if (reach != count) {
      for (uint32_t i = first; i < first + count; ++i)
        chosen_[i] = static_cast<uint32_t>(picked_[i] - row);
      chosen = std::span(chosen_).subspan(first, count);
    }
    return decoder->Advance(static_cast<uint32_t>(row - stripe.first_row), reach, chosen);
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
    const StripeRef& stripe = shared_.file->core().stripes[active_stripe_];
    const size_t stay = row_ == stripe.first_row + stripe.num_rows ? 0 : 1;
    for (; active_.size() > stay; active_.erase(active_.begin())) {
      active_.front()->Park();
      idle_.push_back(std::move(active_.front()));
    }
  }

  void CountWork() {
    stats_ = shared_.stats;
    for (const auto* decoders : {&active_, &idle_}) {
      for (const auto& decoder : *decoders) {
        stats_.bytes_read += decoder->pages().bytes_read();
        stats_.reads += decoder->pages().reads();
      }
    }
    if (picker_ == nullptr) return;
    stats_.rows_dropped = picker_->rows_dropped();
    stats_.bytes_read += picker_->bytes_read();
    stats_.bytes_needed += picker_->bytes_needed();
    stats_.reads += picker_->reads();
    stats_.values_decoded += picker_->values_decoded();
  }

  MemoryBudget budget_;
  ScanShared shared_;
  MemoryCharge records_;  // For the projection.
  MemoryCharge slab_;
  ScanStats stats_;
  uint32_t batch_size_;
  bool drop_last_;
  uint64_t row_;
  uint64_t row_end_;
  std::vector<ScanColumn> columns_;
  uint64_t num_batches_ = 0;
  size_t stripe_ = 0;
  size_t active_stripe_ = 0;
  std::vector<std::unique_ptr<StripeDecoder>>
      active_;  // Of the current batch; the last is of the current stripe.
  std::vector<std::unique_ptr<StripeDecoder>> idle_;
  std::vector<BatchPiece> pieces_;
  std::unique_ptr<RowPicker> picker_;  // None without a filter.
  std::span<const uint64_t> picked_;   // Rows of the current batch.
  CountedVector<uint32_t> chosen_;     // The same, from the start of each piece or block.
  std::vector<std::unique_ptr<GatheredRows>> gathered_;
  DenseScratch dense_scratch_;
  Status failed_;
};

Result<RowRange> FindRange(const OpenFile& file, const ScanOptions& options) {
  RowRange range{.begin = options.row_begin,
                 .end = std::min(options.row_end, file.core().num_rows)};
  if (range.begin > range.end) {
    return InvalidArgument("rows {} to {} asked for, the file has {}", options.row_begin,
                           options.row_end, file.core().num_rows);
  }
  const std::vector<StripeRef>& stripes = file.core().stripes;
  const auto ends_before = [](const StripeRef& stripe, uint64_t row) {
    return stripe.first_row + stripe.num_rows <= row;
  };
  const auto starts_before = [](const StripeRef& stripe, uint64_t row) {
    return stripe.first_row < row;
  };
  const auto first = std::lower_bound(stripes.begin(), stripes.end(), range.begin, ends_before);
  const auto end = std::lower_bound(first, stripes.end(), range.end, starts_before);
  range.first_stripe = static_cast<size_t>(first - stripes.begin());
  range.end_stripe = static_cast<size_t>(end - stripes.begin());
  return range;
}

Result<std::unique_ptr<Scan>> Make(const OpenFile& file, const ReaderOptions& reader_options,
                                   const ScanOptions& options) {
  if (options.batch_size == 0 || options.batch_size > kMaxBatchRows)
    return InvalidArgument("batch_size {}, 1 to {} is possible", options.batch_size, kMaxBatchRows);
  DSI_ASSIGN_OR_RETURN(const RowRange range, FindRange(file, options));
  auto scan = std::make_unique<FileScan>(file, reader_options, options, range);
  DSI_RETURN_IF_ERROR(scan->Prepare(options, range));
  return std::unique_ptr<Scan>(std::move(scan));
}

Result<uint64_t> Count(const OpenFile& file, const ReaderOptions& reader_options,
                       const ScanOptions& options) {
  DSI_ASSIGN_OR_RETURN(const RowRange range, FindRange(file, options));
  if (options.filter.empty()) return range.end - range.begin;
  MemoryBudget budget{.limit = options.memory_bytes, .used = 0};
  DSI_ASSIGN_OR_RETURN(const auto picker,
                       RowPicker::Make(file, reader_options, options, range.end, range.first_stripe,
                                       range.end_stripe, &budget));
  do {
    picker->Take(picker->ready().size());
    DSI_RETURN_IF_ERROR(picker->Ahead(1));
  } while (!picker->ready().empty());
  return range.end - range.begin - picker->rows_dropped();
}

}  // namespace

Result<std::unique_ptr<Scan>> MakeScan(const OpenFile& file, const ReaderOptions& reader_options,
                                       const ScanOptions& options) {
  return Make(file, reader_options, options);
}

Result<uint64_t> CountScanRows(const OpenFile& file, const ReaderOptions& reader_options,
                               const ScanOptions& options) {
  return Count(file, reader_options, options);
}

}  // namespace internal
}  // namespace dsi
