#include "dsi/dataset/scan/dataset_visits_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/dataset/scan/stripe_walk_internal.h"

namespace dsi::internal {

std::optional<StripeVisit> DatasetVisits::Next() {
  while ((pending_.empty() || pending_.front().may_go_on) && next_batch_ < share_->size())
    AddLoad();
  if (pending_.empty()) return std::nullopt;
  const Pending& first = pending_.front();
  StripeVisit visit = first.visit;
  visit.key.member = num_taken_++;
  if (num_taken_ == first.num_members) {
    pending_.pop_front();
    num_taken_ = 0;
  }
  return visit;
}

void DatasetVisits::AddLoad() {
  const uint64_t load = next_batch_;
  const RowSpan positions = order_->LoadOf(share_->at(load));
  do {
    ++next_batch_;
  } while (order_->window_rows() != 0 && next_batch_ < share_->size() &&
           order_->LoadOf(share_->at(next_batch_)).begin == positions.begin);
  order_->FindAscending(positions, &spans_);
  ++num_loads_;
  for (const RowSpan& span : spans_) AddRows(load, span);
  // Decoders that have no rows of a load are done with their stripes.
  for (Pending& pending : pending_) pending.may_go_on = pending.last_load == num_loads_;
}

void DatasetVisits::AddRows(uint64_t load, RowSpan span) {
  while (span.begin < span.end) {
    const RowsOfStripe at = TakeStripe(files_->dataset(), &span);
    if (!files_->MayPass(at.file)) continue;
    const size_t variant = files_->schemas().VariantAt(at.file, at.stripe_row - at.file_row);
    const auto known = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) {
      return p.may_go_on && p.visit.key.file == at.file && p.visit.key.stripe == at.stripe &&
             p.visit.rows.back().end <= at.first;
    });
    if (known == pending_.end()) {
      const size_t overlays = files_->schemas().variant(at.file, variant).overlays.size();
      pending_.push_back({.visit = {.key = {load, at.file, at.stripe}, .rows = {}},
                          .num_members = static_cast<uint32_t>(1 + overlays)});
    }
    Pending& pending = known == pending_.end() ? pending_.back() : *known;
    pending.last_load = num_loads_;
    std::vector<StripeRows>& rows = pending.visit.rows;
    if (!rows.empty() && rows.back().end == at.first) {
      rows.back().end += at.count;
    } else {
      rows.push_back({at.first, at.first + at.count, at.num_rows});
    }
  }
}

Result<std::optional<VisitedStripe>> DatasetVisits::Open(const VisitKey& key) {
  const DatasetFiles& dataset = files_->dataset();
  uint64_t row = 0;  // Of the file, where the stripe begins.
  for (size_t i = 0; i < key.stripe; ++i) row += dataset.stripe_rows(key.file)[i];
  DSI_ASSIGN_OR_RETURN(const std::shared_ptr<ScanFile> file,
                       files_->OpenAhead(key.file, files_->schemas().VariantAt(key.file, row)));
  const std::optional<VisitedStripe> nothing;
  if (key.member >= file->members().size() || file->PassesOver(key.stripe)) return nothing;
  ScanMember& member = *file->members()[key.member];
  VisitedStripe visited = member.shared()->Visited(member.StripeOf(key.stripe));
  if (what_ == What::kFilter)
    visited.projection = file->filters() ? member.filter()->projection() : nullptr;
  if (visited.projection == nullptr || visited.projection->columns.empty()) return nothing;
  return std::optional(std::move(visited));
}

bool DatasetVisits::IsTime(const VisitKey& key) {
  return (what_ != What::kFiltered || files_->guess().next_may_have()) &&
         files_->MayOpenAhead(key.file);
}

}  // namespace dsi::internal
