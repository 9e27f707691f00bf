#include "dsi/rewrite/batch_columns_internal.h"

#include <cstddef>

#include "dsi/format/types.h"

namespace dsi::internal {

// Columns of one feature are present in the same rows.
template <typename View>
void BatchColumns::SetColumn(const View& view, size_t row_bytes, Whole* whole) {
  if (whole->columns.values.empty()) {
    whole->validity.assign((view.rows + 7) / 8, 0);
    for (size_t row = 0; row < view.rows; ++row)
      whole->validity[row / 8] |= static_cast<uint8_t>((view.present[row] != 0) << row % 8);
    whole->columns.validity = whole->validity.data();
  }
  whole->columns.values.push_back(view.values);
  whole->row_bytes.push_back(row_bytes);
}

Status BatchColumns::Fill(const RewritePlan& plan, const Batch& batch) {
  features_.clear();
  size_t ordinal = 0;
  for (size_t f = 0; f < plan.sources.size(); ++f) {
    if (plan.sources[f].empty()) continue;
    Whole& whole = features_.emplace_back();
    whole.columns.feature = f;
    for (const Projection& asked : plan.sources[f]) {
      if (asked.layout == Layout::kJagged) {
        DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(ordinal++));
        whole.columns.offsets64 = view.offsets;
        SetColumn(view, 0, &whole);
      } else {
        DSI_ASSIGN_OR_RETURN(const PaddedView view, batch.Padded(ordinal++));
        SetColumn(view, view.width * static_cast<size_t>(TypeWidth(view.dtype)), &whole);
      }
    }
  }
  return Status::Ok();
}

std::span<const FeatureColumns> BatchColumns::Rows(size_t begin, size_t end) {
  rows_.clear();
  if (begin == end) return rows_;
  for (const Whole& whole : features_) {
    FeatureColumns& part = rows_.emplace_back(whole.columns);
    part.validity_offset = begin;
    if (part.offsets64 != nullptr) part.offsets64 += begin;
    for (size_t c = 0; c < part.values.size(); ++c)
      part.values[c] = static_cast<const std::byte*>(part.values[c]) + begin * whole.row_bytes[c];
  }
  return rows_;
}

}  // namespace dsi::internal
