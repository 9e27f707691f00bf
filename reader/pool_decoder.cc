#include "dsi/reader/pool_decoder_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/format/error_internal.h"

namespace dsi::internal {

Status PoolDecoder::Start(const StripeContext* context, const ColumnPlan& column,
                          const Conversion* convert, StreamWindow* dictionary,
                          const ShapeDecoder* shape, bool keep_all) {
  shape_ = shape;
  tiered_ = column.num_tiers != 0;
  assembled_ = false;
  num_tiers_ = column.num_tiers;
  read_tiers_ = 1 + static_cast<uint32_t>(column.tiers.size());
  num_values_ = column.pool_values;
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

Status PoolDecoder::Require(uint64_t first, uint64_t end) {
  if (!tiered_) return windows_[0]->Require(first, end);
  return assembled_ || first == end ? Status::Ok() : Assemble();
}

Status PoolDecoder::Assemble() {
  DSI_RETURN_IF_ERROR(pool_.Reserve(num_values_ * width_, 0));
  const Chains chains = shape_->chains();
  for (uint32_t tier = 0; tier < read_tiers_; ++tier) {
    StreamWindow& window = *windows_[tier];
    DSI_RETURN_IF_ERROR(window.Require(0, window.num_values()));
    uint64_t at = 0;
    for (size_t i = 0; i < chains.size(); ++i) {
      const PoolRange range = TierOf(chains[i], tier, num_tiers_, shape_->newest_first());
      if (range.size() == 0) continue;
      if (range.size() > window.num_values() - at) {
        return Corrupt("{}: tier {} has {} values, the chains need more (D-014)", window.Describe(),
                       tier, window.num_values());
      }
      const std::byte* const from = window.constant() ? window.At(0) : window.At(at);
      std::memcpy(pool_.data() + range.begin * width_, from, range.size() * width_);
      for (uint64_t next = at; window.any_unfit(); ++next) {
        next = window.FirstUnfit(next, at + range.size());
        if (next == UINT64_MAX) break;
        unfit_.push_back(range.begin + (next - at));
      }
      at += range.size();
    }
    if (at != window.num_values()) {
      return Corrupt("{}: tier {} has {} values, the chains need {} (D-014)", window.Describe(),
                     tier, window.num_values(), at);
    }
  }
  std::sort(unfit_.begin(), unfit_.end());
  assembled_ = true;
  return Status::Ok();
}

uint64_t PoolDecoder::FirstUnfit(uint64_t first, uint64_t end) const {
  if (!tiered_) return windows_[0]->FirstUnfit(first, end);
  const auto at = std::lower_bound(unfit_.begin(), unfit_.end(), first);
  return at != unfit_.end() && *at < end ? *at : UINT64_MAX;
}

}  // namespace dsi::internal
