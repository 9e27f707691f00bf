#include "dsi/reader/scan/stripes_ahead_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {

StripesAhead::~StripesAhead() {
  for (std::unique_ptr<Begun>& begun : begun_) {
    (void)team_->Stop(begun.get());
    // What a helper was at while the process forked is lost.
    if (!team_->is_here()) (void)begun.release();
  }
}

Status StripesAhead::Begin(const VisitKey& visit, ScanShared* shared, size_t stripe, uint32_t first,
                           uint32_t num_rows, std::unique_ptr<StripeDecoder>* decoder) {
  if (shared->fetcher != nullptr) shared->fetcher->Pass(visit);
  current_ = visit;
  if (std::exchange(shared_, shared) != shared) spare_.clear();
  std::unique_ptr<StripeDecoder> begun = Take(visit);
  if (begun != nullptr && begun->shared() == shared) {
    if (*decoder != nullptr) Spare(std::move(*decoder));
    *decoder = std::move(begun);
    stripe_bytes_ = (*decoder)->bytes_expected();
  } else {
    if (*decoder == nullptr) *decoder = TakeSpare().decoder;
    if (*decoder == nullptr) {
      *decoder = std::make_unique<StripeDecoder>(shared);
      if (std::exchange(shared->is_looked_through, team_->size() > 1)) (*decoder)->LookAlone();
    }
    const auto begin = [&]() -> Status {
      DSI_RETURN_IF_ERROR((*decoder)->Plan(stripe, first, num_rows, &visit));
      stripe_bytes_ = (*decoder)->bytes_expected();
      StartMore(/*num_others=*/2);  // One helper helps here.
      return (*decoder)->Begin();
    };
    Status status = NoThrow(begin);
    if (status.code() == StatusCode::kResourceExhausted && !begun_.empty()) {
      // What is needed now comes first.
      for (const std::unique_ptr<Begun>& other : begun_) (void)team_->Stop(other.get());
      begun_.clear();
      spare_.clear();
      is_over_ = true;
      (*decoder)->Park();
      status = NoThrow(begin);
    }
    DSI_RETURN_IF_ERROR(std::move(status));
  }
  (*decoder)->ForgetLooks();
  StartMore();
  return Status::Ok();
}

bool StripesAhead::HasRoom(size_t num_others) const {
  if (begun_.size() + num_others >= team_->size()) return false;
  // The other half is for batches, and for what was not expected.
  const uint64_t half = budget_->limit / 2;
  return budget_->left() >= half && stripe_bytes_ <= half / (begun_.size() + 2);
}

// So many of the team have other work.
void StripesAhead::StartMore(size_t num_others) {
  while (!is_over_ && HasRoom(num_others)) {
    if (!next_) next_ = visits_->Next();
    if (!next_) is_over_ = true;
    if (is_over_) return;
    if (next_->key <= current_) {
      next_.reset();
      continue;
    }
    if (!visits_->IsTime(next_->key)) return;
    auto begun = std::make_unique<Begun>();
    begun->visits = visits_.get();
    begun->visit = next_->key;
    begun->rows = next_->rows.front();
    begun->rows.end = std::min(begun->rows.end, begun->rows.begin + batch_size_);
    begun->held = TakeSpare();
    next_.reset();
    begun_.push_back(std::move(begun));
    team_->Start(begun_.back().get());
  }
}

void StripesAhead::Begun::Do() {
  status = NoThrow([&]() -> Status {
    DSI_ASSIGN_OR_RETURN(std::optional<VisitedStripe> opened, visits->Open(visit));
    if (!opened) return {StatusCode::kCancelled, "not wanted"};
    if (held.decoder == nullptr || held.decoder->shared() != opened->shared)
      held = {opened->owner, std::make_unique<StripeDecoder>(opened->shared)};
    StripeDecoder& decoder = *held.decoder;
    decoder.LookAlone();
    return decoder.Start(opened->stripe, rows.begin, rows.end - rows.begin, &visit);
  });
}

// The decoder of a visit; null: none was begun, or it failed.
std::unique_ptr<StripeDecoder> StripesAhead::Take(const VisitKey& visit) {
  while (!begun_.empty() && begun_.front()->visit <= visit) {
    const std::unique_ptr<Begun> first = std::move(begun_.front());
    begun_.pop_front();
    const bool is_begun = team_->Stop(first.get()) && first->status.ok();
    std::unique_ptr<StripeDecoder> decoder = std::move(first->held.decoder);
    if (is_begun && first->visit == visit) return decoder;
    if (decoder != nullptr) Spare(std::move(decoder));
  }
  return nullptr;
}

void StripesAhead::Spare(std::unique_ptr<StripeDecoder> decoder) {
  decoder->Park();
  if (decoder->shared() == shared_) spare_.push_back({shared_->owner.lock(), std::move(decoder)});
}

StripesAhead::Held StripesAhead::TakeSpare() {
  if (spare_.empty()) return {};
  Held taken = std::move(spare_.back());
  spare_.pop_back();
  return taken;
}

}  // namespace dsi::internal
