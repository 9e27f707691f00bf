// What helpers do for a window: its next page, and all pages of one that keeps all.
#include <algorithm>
#include <cstring>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/reader/decode/stream_window_internal.h"

namespace dsi::internal {

// As many as it may take to decode a page.
constexpr uint64_t kBatchesAhead = 6;

// A page that is decoded before rows need it, in memory of its own.
class StreamWindow::AheadPage final : public WorkerTeam::Task {
 public:
  AheadPage(const StreamWindow* window, MemoryBudget* budget)
      : window_(window), buffer_(budget), unfit_(budget) {}

  void Start(uint32_t page) {
    page_ = page;
    window_->context_->team->Start(this);
  }
  bool Stop() { return window_->context_->team->Stop(this); }

  void Do() override {
    unfit_.clear();
    status_ = NoThrow([&]() -> Status {
      DSI_RETURN_IF_ERROR(buffer_.Reserve(window_->CountOf(page_) * window_->width_, 0));
      return window_->DecodePage(page_, buffer_.data(), &unfit_);
    });
  }

  uint32_t page() const { return page_; }
  const Status& status() const { return status_; }
  const std::byte* data() const { return buffer_.data(); }
  const CountedVector<uint64_t>& unfit() const { return unfit_; }
  bool is_wanted = false;

 private:
  const StreamWindow* window_;
  uint32_t page_ = 0;
  Status status_;
  ScanBuffer buffer_;
  CountedVector<uint64_t> unfit_;
};

// Here, where an AheadPage is complete.
StreamWindow::StreamWindow(MemoryBudget* budget) : buffer_(budget), unfit_(budget) {}
StreamWindow::~StreamWindow() { StopAhead(); }

void StreamWindow::StopAhead() {
  if (ahead_ != nullptr && std::exchange(ahead_->is_wanted, false)) (void)ahead_->Stop();
}

// Has the next page decoded, where the values left here last for few batches.
void StreamWindow::StartAhead(uint64_t num_wanted) {
  if (keep_all_ || context_->team == nullptr || end_ == num_values()) return;
  if (context_->team->size() == 1 || end_ - begin_ > kBatchesAhead * num_wanted) return;
  // Whoever has little memory needs it for what is asked for.
  if (buffer_.budget()->left() < buffer_.budget()->limit / 4) return;
  if (ahead_ == nullptr) ahead_ = std::make_unique<AheadPage>(this, buffer_.budget());
  if (std::exchange(ahead_->is_wanted, true)) return;
  context_->any_ahead->store(true, std::memory_order_relaxed);
  ahead_->Start(static_cast<uint32_t>(end_ / PageValues()));
}

// The page at the tail of the window, if a helper decoded it. What went wrong there does so again
// where it is decoded for want of it, unless there is memory now.
Result<bool> StreamWindow::TakeAhead(uint32_t page) {
  if (ahead_ == nullptr || !std::exchange(ahead_->is_wanted, false)) return false;
  if (!ahead_->Stop() || ahead_->page() != page || !ahead_->status().ok()) return false;
  std::memcpy(buffer_.data() + (end_ - begin_) * width_, ahead_->data(), CountOf(page) * width_);
  unfit_.insert(unfit_.end(), ahead_->unfit().begin(), ahead_->unfit().end());
  return true;
}

Status StreamWindow::AddKeptPages(std::vector<KeptPage>* pages) {
  if (!keep_all_ || constant_ || end_ != 0 || num_values() == 0) return Status::Ok();
  if (!stream_->record.Support().ok()) return Status::Ok();  // Said where it is required.
  DSI_RETURN_IF_ERROR(buffer_.Reserve(num_values() * width_, 0));
  const uint64_t page_values = PageValues();
  for (uint64_t first = 0; first < num_values(); first += page_values)
    pages->push_back({this, static_cast<uint32_t>(first / page_values)});
  return Status::Ok();
}

Status StreamWindow::DecodeKept(uint32_t page) {
  CountedVector<uint64_t> unfit(unfit_.get_allocator());
  DSI_RETURN_IF_ERROR(DecodePage(page, buffer_.data() + page * PageValues() * width_, &unfit));
  if (stream_->role == StreamRole::kValues) context_->room().CountDecoded(CountOf(page));
  if (unfit.empty()) return Status::Ok();
  const std::lock_guard lock(*context_->lending);
  unfit_.insert(unfit_.end(), unfit.begin(), unfit.end());
  return Status::Ok();
}

void StreamWindow::FinishKept(bool all_sound) {
  if (!all_sound) return unfit_.clear();
  std::sort(unfit_.begin(), unfit_.end());
  end_ = num_values();
}

}  // namespace dsi::internal
