#include "dsi/reader/decode/pool_decoder_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/base/error_internal.h"

namespace dsi::internal {

Status PoolDecoder::Start(const StripeContext* context, const ColumnPlan& column,
                          const Conversion* convert, StreamWindow* dictionary,
                          const ShapeDecoder* shape, bool keep_all) {
  shape_ = shape;
  tiered_ = column.num_tiers != 0;
  assembled_ = false;
  keep_all_ = keep_all;
  num_tiers_ = column.num_tiers;
  read_tiers_ = 1 + static_cast<uint32_t>(column.tiers.size());
  newest_ = column.newest;
  num_values_ = column.pool_values;
  num_kept_ = 0;
  starts_.clear();
  unfit_.clear();
  while (windows_.size() < read_tiers_) windows_.push_back(std::make_unique<StreamWindow>(budget_));
  for (uint32_t tier = 0; tier < read_tiers_; ++tier) {
    const uint32_t at = tier == 0 ? column.values : column.tiers[tier - 1];
    windows_[tier]->Start(context, &context->plan->streams[at], convert, dictionary,
                          keep_all || tiered_);
  }
  width_ = static_cast<size_t>(windows_[0]->width());
  return Status::Ok();
}

Status PoolDecoder::Require() {
  const ShapeView& view = shape_->view();
  if (!tiered_) return windows_[0]->Require(view.first_value, view.end_value);
  if (!assembled_ && view.first_value != view.end_value) DSI_RETURN_IF_ERROR(Assemble());
  return assembled_ && read_tiers_ != num_tiers_ ? CutLists() : Status::Ok();
}

Status PoolDecoder::AddKeptPages(std::vector<StreamWindow::KeptPage>* pages) {
  for (uint32_t tier = 0; tier < read_tiers_; ++tier)
    DSI_RETURN_IF_ERROR(windows_[tier]->AddKeptPages(pages));
  return Status::Ok();
}

// Places the newest end of each chain, as far as it is read; returns the values of all.
uint64_t PoolDecoder::LayOutSegments() {
  const auto chains = shape_->chains();
  const bool is_whole = read_tiers_ == num_tiers_;
  segments_.resize(chains.size());
  uint64_t place = 0;
  for (size_t i = 0; i < segments_.size(); ++i) {
    const PoolRange chain = chains[i];
    const uint64_t size = is_whole ? chain.size() : std::min(chain.size(), TierBegin(read_tiers_));
    const uint64_t begin = shape_->newest_first() ? chain.begin : chain.end - size;
    segments_[i] = {chain.begin, begin, begin + size, place};
    place += size;
  }
  return place;
}

Status PoolDecoder::Assemble() {
  num_kept_ = LayOutSegments();
  DSI_RETURN_IF_ERROR(pool_.Reserve(num_kept_ * width_, 0));
  for (uint32_t tier = 0; tier < read_tiers_; ++tier) DSI_RETURN_IF_ERROR(AddTier(tier));
  std::sort(unfit_.begin(), unfit_.end());
  assembled_ = true;
  return Status::Ok();
}

Status PoolDecoder::AddTier(uint32_t tier) {
  StreamWindow& window = *windows_[tier];
  const auto chains = shape_->chains();
  DSI_RETURN_IF_ERROR(window.Require(0, window.num_values()));
  uint64_t at = 0;
  for (size_t i = 0; i < segments_.size(); ++i) {
    const PoolRange range = TierOf(chains[i], tier, num_tiers_, shape_->newest_first());
    if (range.size() == 0) continue;
    if (range.size() > window.num_values() - at) {
      return Corrupt("{}: tier {} has {} values, the chains need more (D-014)", window.Describe(),
                     tier, window.num_values());
    }
    const std::byte* const from = window.constant() ? window.At(0) : window.At(at);
    const uint64_t to = segments_[i].place + (range.begin - segments_[i].begin);
    std::memcpy(pool_.data() + to * width_, from, range.size() * width_);
    for (uint64_t next = at; window.any_unfit(); ++next) {
      next = window.FirstUnfit(next, at + range.size());
      if (next == UINT64_MAX) break;
      unfit_.push_back(to + (next - at));
    }
    at += range.size();
  }
  if (at != window.num_values()) {
    return Corrupt("{}: tier {} has {} values, the chains need {} (D-014)", window.Describe(), tier,
                   window.num_values(), at);
  }
  window.Release();
  return Status::Ok();
}

// Where the newest entries of each list stand here.
Status PoolDecoder::CutLists() {
  const ShapeView& view = shape_->view();
  if (keep_all_ && starts_.size() == view.count) return Status::Ok();  // The view is always this.
  starts_.resize(view.count);
  lengths_.resize(view.count);
  size_t at = 0;  // Most lists stand in the chain of the one before, or in the next.
  for (uint32_t u = 0; u < view.count; ++u) {
    const uint64_t length = view.lengths[u];
    const uint64_t kept = std::min<uint64_t>(length, newest_);
    starts_[u] = 0;
    lengths_[u] = static_cast<uint32_t>(kept);
    if (length == 0) continue;
    const uint64_t first = view.first_value + view.Start(u);
    if (at + 1 < segments_.size() && first >= segments_[at + 1].chain_begin) ++at;
    if (first < segments_[at].chain_begin ||
        (at + 1 < segments_.size() && first >= segments_[at + 1].chain_begin)) {
      const auto after = std::upper_bound(
          segments_.begin(), segments_.end(), first,
          [](uint64_t place, const Segment& segment) { return place < segment.chain_begin; });
      at = static_cast<size_t>(after - segments_.begin()) - 1;
    }
    const Segment& segment = segments_[at];
    const uint64_t from = shape_->newest_first() ? first : first + (length - kept);
    if (from < segment.begin || from + kept > segment.end) {
      return Corrupt(
          "{}: unique row {} asks for entries {}..{} of its chain, tiers have {}..{} "
          "(D-014)",
          Describe(), view.first + u, from, from + kept, segment.begin, segment.end);
    }
    starts_[u] = segment.place + (from - segment.begin);
  }
  return Status::Ok();
}

ValuesView PoolDecoder::values() const {
  const uint64_t first = shape_->view().first_value;
  if (!tiered_) return {windows_[0]->At(first), windows_[0]->num_readable(first)};
  if (!assembled_) return {};  // No list of the view has entries.
  if (read_tiers_ != num_tiers_) return {pool_.data(), num_kept_, starts_.data(), lengths_.data()};
  return {pool_.data() + first * width_, num_kept_ - first};
}

bool PoolDecoder::Fits(uint32_t slot, const ShapeView& view) const {
  if (!tiered_) {
    const uint64_t begin = view.first_value + view.Start(slot);
    return windows_[0]->FirstUnfit(begin, begin + view.lengths[slot]) == UINT64_MAX;
  }
  const bool is_cut = read_tiers_ != num_tiers_;
  const uint64_t begin = is_cut ? starts_[slot] : view.first_value + view.Start(slot);
  const uint64_t end = begin + (is_cut ? lengths_[slot] : view.lengths[slot]);
  const auto at = std::lower_bound(unfit_.begin(), unfit_.end(), begin);
  return at == unfit_.end() || *at >= end;
}

}  // namespace dsi::internal
