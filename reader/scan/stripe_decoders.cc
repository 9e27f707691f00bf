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
  ahead_.StartMore();
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

// Puts a decoder on the current stripe, for rows from `row` on.
Status StripeDecoders::Activate(uint64_t row, uint32_t num_rows) {
  active_.emplace_back();
  active_stripe_ = stripe_;
  DSI_RETURN_IF_ERROR(ahead_.Begin({.stripe = stripe_}, shared_, stripe_,
                                   static_cast<uint32_t>(row - stripe().first_row), num_rows,
                                   &active_.back()));
  shared_->stats.bytes_needed += active_.back()->bytes_needed();
  return Status::Ok();
}

void StripeDecoders::Release(uint64_t next_row) {
  const StripeRef& last = shared_->file->core().stripes[active_stripe_];
  const size_t stay = next_row == last.first_row + last.num_rows ? 0 : 1;
  for (; active_.size() > stay; active_.erase(active_.begin())) {
    past_ += active_.front()->work();
    ahead_.Spare(std::move(active_.front()));
  }
}

PageWork StripeDecoders::work() const {
  PageWork sum = past_;
  for (const auto& decoder : active_) {
    if (decoder != nullptr) sum += decoder->work();
  }
  return sum;
}

}  // namespace dsi::internal
