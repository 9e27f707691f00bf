#include "dsi/dataset/order/selected_rows_internal.h"

#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/order/keyed_bijection_internal.h"

namespace dsi::internal {

void AppendRows(RowSpan rows, std::vector<RowSpan>* out) {
  if (rows.begin == rows.end) return;
  if (!out->empty() && out->back().end == rows.begin) {
    out->back().end = rows.end;
  } else {
    out->push_back(rows);
  }
}

Result<SelectedRows> SelectedRows::Make(std::span<const RowSpan> rows) {
  SelectedRows selected;
  uint64_t end = 0;
  for (const RowSpan& span : rows) {
    if (span.begin > span.end) {
      return InvalidArgument("rows {} to {}: the end stands before the beginning", span.begin,
                             span.end);
    }
    if (span.begin < end) {
      return InvalidArgument(
          "rows {} to {}: expected spans that ascend and do not overlap; the one "
          "before ends at {}",
          span.begin, span.end, end);
    }
    end = span.end;
    if (end > KeyedBijection::kMaxSize) {
      return InvalidArgument("rows {} to {}: at most 2^48 rows can be ordered", span.begin, end);
    }
    AppendRows(span, &selected.spans_);
  }
  for (const RowSpan& span : selected.spans_) {
    selected.places_.push_back(selected.size_);
    selected.size_ += span.end - span.begin;
  }
  return selected;
}

void SelectedRows::Append(uint64_t begin, uint64_t end, std::vector<RowSpan>* out) const {
  if (begin >= end) return;
  auto i = static_cast<size_t>(std::upper_bound(places_.begin(), places_.end(), begin) -
                               places_.begin() - 1);
  for (; begin < end; ++i) {
    const uint64_t row = spans_[i].begin + (begin - places_[i]);
    const uint64_t count = std::min(end - begin, spans_[i].end - row);
    AppendRows({row, row + count}, out);
    begin += count;
  }
}

uint64_t SelectedRows::CountBefore(uint64_t row) const {
  const auto after =
      std::upper_bound(spans_.begin(), spans_.end(), row,
                       [](uint64_t r, const RowSpan& span) { return r < span.begin; });
  if (after == spans_.begin()) return 0;
  const auto i = static_cast<size_t>(after - spans_.begin() - 1);
  return places_[i] + std::min(row, spans_[i].end) - spans_[i].begin;
}

uint64_t SelectedRows::Fingerprint() const {
  uint64_t hash = 0;
  for (const RowSpan& span : spans_) {
    hash = SplitMix64(SplitMix64(hash ^ span.begin, 1) ^ span.end, 1);
  }
  return hash;
}

}  // namespace dsi::internal
