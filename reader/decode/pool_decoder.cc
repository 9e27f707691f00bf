#include "dsi/reader/decode/pool_decoder_internal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/reader/decode/narrow_values_internal.h"

namespace dsi::internal {

Status PoolDecoder::Start(const StripeContext* context, const ColumnPlan& column,
                          const Conversion* convert, StreamWindow* dictionary,
                          const ShapeDecoder* shape, bool keep_all, bool may_be_narrow) {
  shape_ = shape;
  tiered_ = column.num_tiers != 0;
  keep_all_ = keep_all;
  num_values_ = column.pool_values;
  newest_tier_.StopAhead();  // Which may look in those of the stripe before.
  MappedEntries* const mapped = StartMapped(convert, dictionary);
  newest_tier_.Start(context, &context->plan->streams[column.values], convert, dictionary,
                     keep_all || tiered_, mapped);
  width_ = static_cast<uint32_t>(newest_tier_.width());
  is_to_narrow_ = keep_all && may_be_narrow;
  if (tiered_) StartTiers(context, column, convert, dictionary, mapped);
  return Status::Ok();
}

MappedEntries* PoolDecoder::StartMapped(const Conversion* convert, const StreamWindow* dictionary) {
  if (convert == nullptr || convert->map == nullptr || dictionary == nullptr) {
    mapped_.reset();
    return nullptr;
  }
  if (mapped_ == nullptr) mapped_ = std::make_unique<MappedEntries>(newest_tier_.budget());
  mapped_->Start(convert->map.get(), num_values_);
  return mapped_.get();
}

void PoolDecoder::StartTiers(const StripeContext* context, const ColumnPlan& column,
                             const Conversion* convert, StreamWindow* dictionary,
                             MappedEntries* mapped) {
  MemoryBudget* const budget = newest_tier_.budget();
  if (tiers_ == nullptr) tiers_ = std::make_unique<Tiers>(budget);
  Tiers& t = *tiers_;
  t.is_assembled = false;
  t.num_tiers = column.num_tiers;
  t.num_read = 1 + static_cast<uint32_t>(column.tiers.size());
  t.newest = column.newest;
  t.num_kept = 0;
  t.starts.clear();
  t.unfit.clear();
  while (t.older.size() < column.tiers.size())
    t.older.push_back(std::make_unique<StreamWindow>(budget));
  for (size_t i = 0; i < column.tiers.size(); ++i) {
    t.older[i]->Start(context, &context->plan->streams[column.tiers[i]], convert, dictionary, true,
                      mapped);
  }
}

Status PoolDecoder::Require() {
  const ShapeView& view = shape_->view();
  if (!tiered_) {
    DSI_RETURN_IF_ERROR(newest_tier_.Require(view.first_value, view.end_value));
    if (std::exchange(is_to_narrow_, false)) {
      newest_tier_.Narrow();
      width_ = static_cast<uint32_t>(newest_tier_.width());
    }
    return Status::Ok();
  }
  if (!tiers_->is_assembled && view.first_value != view.end_value) DSI_RETURN_IF_ERROR(Assemble());
  return tiers_->is_assembled && is_cut() ? CutLists() : Status::Ok();
}

Status PoolDecoder::AddKeptPages(std::vector<StreamWindow::KeptPage>* pages) {
  DSI_RETURN_IF_ERROR(newest_tier_.AddKeptPages(pages));
  for (uint32_t tier = 1; tiered_ && tier < tiers_->num_read; ++tier)
    DSI_RETURN_IF_ERROR(window(tier).AddKeptPages(pages));
  return Status::Ok();
}

// Places the newest end of each chain, as far as it is read; returns the values of all.
uint64_t PoolDecoder::LayOutSegments() {
  const auto chains = shape_->chains();
  const bool is_whole = !is_cut();
  tiers_->segments.resize(chains.size());
  uint64_t place = 0;
  for (size_t i = 0; i < tiers_->segments.size(); ++i) {
    const PoolRange chain = chains[i];
    const uint64_t size =
        is_whole ? chain.size() : std::min(chain.size(), TierBegin(tiers_->num_read));
    const uint64_t begin = shape_->newest_first() ? chain.begin : chain.end - size;
    tiers_->segments[i] = {chain.begin, begin, begin + size, place};
    place += size;
  }
  return place;
}

Status PoolDecoder::Assemble() {
  tiers_->num_kept = LayOutSegments();
  DSI_RETURN_IF_ERROR(tiers_->pool.Reserve(tiers_->num_kept * width_, 0));
  for (uint32_t tier = 0; tier < tiers_->num_read; ++tier) DSI_RETURN_IF_ERROR(AddTier(tier));
  std::sort(tiers_->unfit.begin(), tiers_->unfit.end());
  if (std::exchange(is_to_narrow_, false))
    width_ = static_cast<uint32_t>(NarrowInPlace(tiers_->pool.data(), tiers_->num_kept, width_));
  tiers_->is_assembled = true;
  return Status::Ok();
}

Status PoolDecoder::AddTier(uint32_t tier) {
  StreamWindow& window = this->window(tier);
  const auto chains = shape_->chains();
  DSI_RETURN_IF_ERROR(window.Require(0, window.num_values()));
  uint64_t at = 0;
  for (size_t i = 0; i < tiers_->segments.size(); ++i) {
    const PoolRange range = TierOf(chains[i], tier, tiers_->num_tiers, shape_->newest_first());
    if (range.size() == 0) continue;
    if (range.size() > window.num_values() - at) {
      return Corrupt("{}: tier {} has {} values, the chains need more (D-014)", window.Describe(),
                     tier, window.num_values());
    }
    const std::byte* const from = window.constant() ? window.At(0) : window.At(at);
    const uint64_t to = tiers_->segments[i].place + (range.begin - tiers_->segments[i].begin);
    std::memcpy(tiers_->pool.data() + to * width_, from, range.size() * width_);
    for (uint64_t next = at; window.any_unfit(); ++next) {
      next = window.FirstUnfit(next, at + range.size());
      if (next == UINT64_MAX) break;
      tiers_->unfit.push_back(to + (next - at));
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
  if (keep_all_ && tiers_->starts.size() == view.count)
    return Status::Ok();  // The view is always this.
  tiers_->starts.resize(view.count);
  tiers_->lengths.resize(view.count);
  size_t at = 0;  // Most lists stand in the chain of the one before, or in the next.
  for (uint32_t u = 0; u < view.count; ++u) {
    const uint64_t length = view.lengths[u];
    const uint64_t kept = std::min<uint64_t>(length, tiers_->newest);
    tiers_->starts[u] = 0;
    tiers_->lengths[u] = static_cast<uint32_t>(kept);
    if (length == 0) continue;
    const uint64_t first = view.first_value + view.Start(u);
    if (at + 1 < tiers_->segments.size() && first >= tiers_->segments[at + 1].chain_begin) ++at;
    if (first < tiers_->segments[at].chain_begin ||
        (at + 1 < tiers_->segments.size() && first >= tiers_->segments[at + 1].chain_begin)) {
      const auto after = std::upper_bound(
          tiers_->segments.begin(), tiers_->segments.end(), first,
          [](uint64_t place, const Segment& segment) { return place < segment.chain_begin; });
      at = static_cast<size_t>(after - tiers_->segments.begin()) - 1;
    }
    const Segment& segment = tiers_->segments[at];
    const uint64_t from = shape_->newest_first() ? first : first + (length - kept);
    if (from < segment.begin || from + kept > segment.end) {
      return Corrupt(
          "{}: unique row {} asks for entries {}..{} of its chain, tiers have {}..{} "
          "(D-014)",
          Describe(), view.first + u, from, from + kept, segment.begin, segment.end);
    }
    tiers_->starts[u] = segment.place + (from - segment.begin);
  }
  return Status::Ok();
}

ValuesView PoolDecoder::values() const {
  const uint64_t first = shape_->view().first_value;
  if (!tiered_)
    return {newest_tier_.At(first), newest_tier_.num_readable(first), nullptr, nullptr, width_};
  if (!tiers_->is_assembled) return {};  // No list of the view has entries.
  if (is_cut())
    return {tiers_->pool.data(), tiers_->num_kept, tiers_->starts.data(), tiers_->lengths.data(),
            width_};
  return {tiers_->pool.data() + first * width_, tiers_->num_kept - first, nullptr, nullptr, width_};
}

bool PoolDecoder::Fits(uint32_t slot, const ShapeView& view) const {
  if (!tiered_) {
    const uint64_t begin = view.first_value + view.Start(slot);
    return newest_tier_.FirstUnfit(begin, begin + view.lengths[slot]) == UINT64_MAX;
  }
  const uint64_t begin = is_cut() ? tiers_->starts[slot] : view.first_value + view.Start(slot);
  const uint64_t end = begin + (is_cut() ? tiers_->lengths[slot] : view.lengths[slot]);
  const auto at = std::lower_bound(tiers_->unfit.begin(), tiers_->unfit.end(), begin);
  return at == tiers_->unfit.end() || *at >= end;
}

}  // namespace dsi::internal
