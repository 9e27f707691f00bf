#include "dsi/dataset/scan/batch_maker_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/stopwatch_internal.h"
#include "dsi/reader/scan/ahead_scan_internal.h"
#include "dsi/reader/scan/batch_internal.h"

namespace dsi::internal {

BatchMaker::BatchMaker(DatasetOrder order, BatchShare share, uint64_t snapshot,
                       const DatasetScanOptions& options)
    : budget_{.limit = options.scan.memory_bytes},
      fetch_budgets_(options.scan),
      workers_(&budget_, options.scan.threads),
      order_(std::move(order)),
      share_(std::move(share)),
      snapshot_(snapshot),
      options_(options.order),
      batch_size_(options.scan.batch_size),
      filler_(&budget_),
      rows_(&budget_) {}

BatchMaker::~BatchMaker() { workers_.team.StopAll(); }

Result<std::unique_ptr<BatchMaker>> BatchMaker::Make(const DatasetFiles* dataset,
                                                     DatasetOrder order, BatchShare share,
                                                     uint64_t snapshot,
                                                     const DatasetScanOptions& options) {
  std::unique_ptr<BatchMaker> maker(
      new BatchMaker(std::move(order), std::move(share), snapshot, options));
  const bool wants_sessions =
      maker->order_.window_rows() != 0 && options.order.mix == Mix::kSessions;
  DSI_ASSIGN_OR_RETURN(maker->files_, ScanFiles::Make(dataset, options, wants_sessions,
                                                      &maker->workers_, &maker->budget_));
  maker->window_ = std::make_unique<Window>(maker->files_.get(), &maker->workers_.team,
                                            &maker->budget_, options.scan.batch_size);
  maker->columns_ = maker->files_->projection()->ScanColumns();
  const bool filters = HasPredicates(options.scan.filter);
  if (!filters) maker->window_->DecodeAhead(maker->Visits(DatasetVisits::What::kBatches));
  if (options.scan.read_ahead_bytes != 0) maker->ReadAhead(filters);
  return maker;
}

std::unique_ptr<DatasetVisits> BatchMaker::Visits(DatasetVisits::What what) const {
  return std::make_unique<DatasetVisits>(what, files_.get(), &order_, &share_);
}

void BatchMaker::ReadAhead(bool filters) {
  using What = DatasetVisits::What;
  const auto fetch = [this](What what, MemoryBudget* budget) {
    return std::make_unique<StripeFetcher>(Visits(what), budget);
  };
  if (filters) filter_fetcher_ = fetch(What::kFilter, &fetch_budgets_.filter);
  fetcher_ = fetch(filters ? What::kFiltered : What::kBatches, &fetch_budgets_.batches);
  files_->SetFetchers(fetcher_.get(), filter_fetcher_.get());
}

Result<bool> BatchMaker::Next(Batch* batch) {
  if (batch == nullptr) return InvalidArgument("no batch to fill");
  bool more = false;
  Status status;
  {
    const Stopwatch waits(&made_.seconds.wait);
    status = NoThrow([&] { return NextBatch(batch, &more); });
  }
  CountWork();
  if (status.ok()) return more;
  BatchAccess::Clear(batch);
  if (failed_.ok()) failed_ = NoThrow([&] { return status; });
  return status;
}

Status BatchMaker::NextBatch(Batch* batch, bool* more) {
  if (!workers_.team.is_here()) return InvalidArgument(kForked);
  BatchState* const state = BatchAccess::State(batch);
  state->Clear();
  if (!failed_.ok()) return failed_;
  if (next_ == share_.size()) return Status::Ok();
  {
    const Stopwatch decodes(&made_.seconds.decode);
    DSI_RETURN_IF_ERROR(TakeRows(share_.at(next_)));
  }
  {
    const Stopwatch fills(&made_.seconds.fill);
    DSI_RETURN_IF_ERROR(Fill(state));
  }
  ++next_;
  *more = true;
  return Status::Ok();
}

// The rows of batch `number` of the order, as pieces.
Status BatchMaker::TakeRows(uint64_t number) {
  const RowSpan load = order_.LoadOf(number);
  if (order_.window_rows() == 0) {
    DSI_RETURN_IF_ERROR(LoadRows(load, /*at_once=*/true));
    return window_->Take({}, &pieces_, &numbers_);
  }
  DSI_RETURN_IF_ERROR(LoadWindow(load));
  const uint64_t begin = number * batch_size_;
  const uint64_t count = std::min<uint64_t>(batch_size_, load.end - begin);
  return window_->Take(std::span(by_batch_).subspan(begin - load.begin, count), &pieces_,
                       &numbers_);
}

Status BatchMaker::LoadWindow(const RowSpan& load) {
  const uint64_t window = load.begin / order_.window_rows();
  if (loaded_window_ == window) return Status::Ok();
  loaded_window_ = UINT64_MAX;
  DSI_RETURN_IF_ERROR(LoadRows(load, /*at_once=*/false));
  if (options_.mix == Mix::kSessions) window_->FindSessions(&sessions_);
  MixWindow(options_, snapshot_, window, sessions_, window_->num_rows(), &dealt_);
  SortByBatch();
  loaded_window_ = window;
  return Status::Ok();
}

Status BatchMaker::LoadRows(const RowSpan& load, bool at_once) {
  // Numbers of a batch; sessions, the order dealt out and what sorts it of a window.
  const uint64_t num_rows = load.end - load.begin;
  const uint64_t batch_bytes = std::min<uint64_t>(batch_size_, num_rows) * sizeof(uint64_t);
  const uint64_t bytes = batch_bytes + (at_once ? 0 : num_rows * 4 * sizeof(uint32_t));
  if (bytes > rows_.bytes()) DSI_RETURN_IF_ERROR(rows_.Add(bytes - rows_.bytes()));
  order_.FindAscending(load, &spans_);
  return window_->Load(spans_, next_, at_once);
}

// The rows of each batch, ascending, so that pieces and their memory are gone through in order.
void BatchMaker::SortByBatch() {
  batch_of_.resize(dealt_.size());
  by_batch_.resize(dealt_.size());
  for (size_t begin = 0, batch = 0; begin < dealt_.size(); begin += batch_size_, ++batch) {
    const size_t end = std::min<size_t>(begin + batch_size_, dealt_.size());
    for (size_t i = begin; i < end; ++i) batch_of_[dealt_[i]] = static_cast<uint32_t>(batch);
  }
  next_in_batch_.clear();
  for (size_t begin = 0; begin < dealt_.size(); begin += batch_size_)
    next_in_batch_.push_back(static_cast<uint32_t>(begin));
  for (uint32_t row = 0; row < dealt_.size(); ++row)
    by_batch_[next_in_batch_[batch_of_[row]]++] = row;
}

Status BatchMaker::Fill(BatchState* state) {
  const size_t num_rows = numbers_.size();
  DSI_RETURN_IF_ERROR(
      filler_.Fill(files_->projection(), pieces_, num_rows, &workers_.team, &made_, state));
  state->first_row = num_rows == 0 ? 0 : numbers_.front();
  if (num_rows != 0 && numbers_.back() - numbers_.front() != num_rows - 1)
    state->row_numbers.assign(numbers_.begin(), numbers_.end());
  return Status::Ok();
}

void BatchMaker::CountWork() {
  stats_ = made_;
  stats_.threads = static_cast<uint32_t>(workers_.team.size());
  stats_.values_decoded = workers_.values_decoded();
  window_->AddTo(&stats_);
  stats_.seconds.read = std::min(stats_.seconds.read, stats_.seconds.decode);
  stats_.seconds.decode -= stats_.seconds.read;
}

}  // namespace dsi::internal
