#include "dsi/reader/scan/stripe_decoders_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {

Status StripeDecoders::Decode(const BatchRows& rows) {
  pieces_.clear();
  size_t num_gathered = 0;
  if (rows.is_picked && chosen_.size() < rows.count) chosen_.resize(rows.count);
  for (uint32_t done = 0; done < rows.count;) {
    const uint64_t row = rows.at(done);
    while (row >= stripe().first_row + stripe().num_rows) ++stripe_;
    const uint64_t stripe_end = stripe().first_row + stripe().num_rows;
    auto count = static_cast<uint32_t>(std::min<uint64_t>(rows.count - done, stripe_end - row));
    uint32_t reach = count;
    if (rows.is_picked) {
      const auto begin = rows.picked.begin() + done;
      const auto end = rows.picked.begin() + rows.count;
      count = static_cast<uint32_t>(std::lower_bound(begin, end, stripe_end) - begin);
      reach = static_cast<uint32_t>(rows.at(done + count - 1) - row) + 1;
    }
    if (active_.empty() || active_stripe_ != stripe_) DSI_RETURN_IF_ERROR(Activate(row, reach));
    BatchPiece piece{.decoder = active_.back().get(), .first = done, .num_rows = count};
    if (reach > batch_size_) {
      if (num_gathered == gathered_.size())
        gathered_.push_back(std::make_unique<GatheredRows>(shared_));
      piece.gathered = gathered_[num_gathered++].get();
      DSI_RETURN_IF_ERROR(Gather(rows, piece));
    } else {
      DSI_RETURN_IF_ERROR(AdvanceOver(rows, piece.decoder, done, count, false));
    }
    pieces_.push_back(piece);
    done += count;
  }
  // Which stripes a filter passes over is not known.
  if (!rows.is_picked) StartNext();
  if (!shared_->workers->any_unfit()) return Status::Ok();
  for (uint32_t i = 0; i < shared_->projection->values.size(); ++i) {
    for (const BatchPiece& piece : pieces_) {
      if (piece.gathered == nullptr) DSI_RETURN_IF_ERROR(piece.decoder->CheckFit(i));
    }
  }
  return Status::Ok();
}

// Rows that reach over more than a batch without a filter does: no more of them at a time.
Status StripeDecoders::Gather(const BatchRows& rows, const BatchPiece& piece) {
  piece.gathered->Start(piece.decoder);
  const uint32_t end = piece.first + piece.num_rows;
  for (uint32_t first = piece.first; first < end;) {
    const uint64_t block_end = rows.at(first) + batch_size_;
    uint32_t next = first + 1;
    while (next < end && rows.at(next) < block_end) ++next;
    DSI_RETURN_IF_ERROR(AdvanceOver(rows, piece.decoder, first, next - first, true));
    for (uint32_t i = 0; i < shared_->projection->values.size(); ++i)
      DSI_RETURN_IF_ERROR(piece.decoder->CheckFit(i));
    DSI_RETURN_IF_ERROR(piece.gathered->Add());
    first = next;
  }
  return piece.gathered->Finish();
}

// Moves a decoder to rows [first, first + count) of the batch and those between them.
Status StripeDecoders::AdvanceOver(const BatchRows& rows, StripeDecoder* decoder, uint32_t first,
                                   uint32_t count, bool gathers) {
  const uint64_t row = rows.at(first);
  const auto reach = static_cast<uint32_t>(rows.at(first + count - 1) - row) + 1;
  std::span<const uint32_t> chosen;
  if (reach != count) {
    for (uint32_t i = first; i < first + count; ++i)
      chosen_[i] = static_cast<uint32_t>(rows.picked[i] - row);
    chosen = std::span(chosen_).subspan(first, count);
  }
  return decoder->Advance(static_cast<uint32_t>(row - stripe().first_row), reach, chosen,
                          /*may_touch=*/!gathers);
}

// Puts a decoder, a used one where there is one, on the current stripe, for rows from `row` on.
Status StripeDecoders::Activate(uint64_t row, uint32_t num_rows) {
  std::unique_ptr<StripeDecoder> decoder = TakeNext();
  const bool is_started = decoder != nullptr;
  active_.push_back(is_started ? std::move(decoder) : IdleDecoder());
  active_stripe_ = stripe_;
  if (!is_started) {
    DSI_RETURN_IF_ERROR(StartOn(active_.back().get(), stripe_,
                                static_cast<uint32_t>(row - stripe().first_row), num_rows));
    if (shared_->team.size() > 1) active_.back()->DecodeKept();
  }
  // The decoder has what it needs of it.
  shared_->file->ahead()->Forget();
  shared_->stats.bytes_needed += active_.back()->bytes_needed();
  return Status::Ok();
}

Status StripeDecoders::StartOn(StripeDecoder* decoder, size_t stripe, uint32_t first,
                               uint32_t num_rows) {
  const VisitKey visit{.stripe = stripe};
  return decoder->Start(stripe, first, num_rows, &visit);
}

std::unique_ptr<StripeDecoder> StripeDecoders::IdleDecoder() {
  if (idle_.empty()) return std::make_unique<StripeDecoder>(shared_);
  std::unique_ptr<StripeDecoder> decoder = std::move(idle_.back());
  idle_.pop_back();
  return decoder;
}

StripeDecoders::~StripeDecoders() { (void)shared_->team.Stop(&next_); }

void StripeDecoders::NextStripe::Do() {
  status = NoThrow([&]() -> Status {
    const StripeRef& next = of_->shared_->file->core().stripes[stripe];
    DSI_RETURN_IF_ERROR(
        of_->StartOn(decoder.get(), stripe, 0, std::min(of_->batch_size_, next.num_rows)));
    decoder->DecodeKept();
    return Status::Ok();
  });
}

// Wants the stripe behind the last active one, where all its rows will come and there is memory for
// two.
void StripeDecoders::StartNext() {
  const auto& stripes = shared_->file->core().stripes;
  const size_t stripe = active_stripe_ + 1;
  if (shared_->team.size() == 1 || next_.decoder != nullptr || stripe >= stripes.size()) return;
  if (stripes[stripe].first_row >= row_end_) return;
  if (shared_->budget->left() < shared_->budget->limit / 4 * 3) return;
  next_.decoder = IdleDecoder();
  next_.stripe = stripe;
  shared_->team.Start(&next_);
}

// The current stripe, if a helper started it. What went wrong does so again.
std::unique_ptr<StripeDecoder> StripeDecoders::TakeNext() {
  if (next_.decoder == nullptr) return nullptr;
  const bool is_started = shared_->team.Stop(&next_) && next_.status.ok();
  if (is_started && next_.stripe == stripe_) return std::move(next_.decoder);
  next_.decoder->Park();
  idle_.push_back(std::move(next_.decoder));
  return nullptr;
}

void StripeDecoders::Release(uint64_t next_row) {
  const StripeRef& last = shared_->file->core().stripes[active_stripe_];
  const size_t stay = next_row == last.first_row + last.num_rows ? 0 : 1;
  for (; active_.size() > stay; active_.erase(active_.begin())) {
    active_.front()->Park();
    idle_.push_back(std::move(active_.front()));
  }
}

uint64_t StripeDecoders::bytes_read() const {
  uint64_t sum = 0;
  for (const auto& decoder : active_) sum += decoder->pages().bytes_read();
  for (const auto& decoder : idle_) sum += decoder->pages().bytes_read();
  return sum;
}

double StripeDecoders::seconds_waited() const {
  double sum = 0;
  for (const auto& decoder : active_) sum += decoder->pages().seconds_waited();
  for (const auto& decoder : idle_) sum += decoder->pages().seconds_waited();
  return sum;
}

uint64_t StripeDecoders::reads() const {
  uint64_t sum = 0;
  for (const auto& decoder : active_) sum += decoder->pages().reads();
  for (const auto& decoder : idle_) sum += decoder->pages().reads();
  return sum;
}

}  // namespace dsi::internal
