#include "dsi/writer/clustered_feature_internal.h"

#include <algorithm>

namespace dsi::internal {

ClusteredFeature::ClusteredFeature(const FeatureSource& source, const RowOrder& order,
                                   std::span<const uint32_t> position_of)
    : source_(source), order_(order) {
  const RowBatch::FeatureBuffer& rows = *source.rows;
  if (source.has_lengths()) {
    starts_.resize(rows.lengths.size());
    uint64_t start = 0;
    for (size_t i = 0; i < starts_.size(); ++i) {
      starts_[i] = start;
      start += rows.lengths[i];
    }
  }
  if (rows.all_present) return;
  // Sorts (position, stored row) pairs by position; positions are unique.
  std::vector<uint64_t> pairs(rows.rows.size());
  for (size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = static_cast<uint64_t>(position_of[rows.rows[i]]) << 32 | i;
  std::sort(pairs.begin(), pairs.end());
  positions_.resize(pairs.size());
  entries_.resize(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    positions_[i] = static_cast<uint32_t>(pairs[i] >> 32);
    entries_[i] = static_cast<uint32_t>(pairs[i]);
  }
}

size_t ClusteredFeature::CountPresent(uint32_t first, uint32_t num_rows) const {
  if (source_.rows->all_present) return num_rows;
  const auto begin = std::lower_bound(positions_.begin(), positions_.end(), first);
  return static_cast<size_t>(std::lower_bound(begin, positions_.end(), first + num_rows) - begin);
}

void ClusteredFeature::FillSlice(uint32_t first, Slice* slice) const {
  const RowBatch::FeatureBuffer& rows = *source_.rows;
  const uint32_t per_row = slice->column.entries_per_row;
  const auto set = [&](uint32_t row, uint32_t entry) {
    slice->shape[row] = per_row == 0 ? rows.lengths[entry] + 1 : 1;
    slice->starts[row] = per_row == 0 ? starts_[entry] : static_cast<uint64_t>(entry) * per_row;
  };
  if (rows.all_present) {
    for (uint32_t row = 0; row < slice->num_rows; ++row) set(row, order_.input_row[first + row]);
    return;
  }
  auto at = static_cast<size_t>(std::lower_bound(positions_.begin(), positions_.end(), first) -
                                positions_.begin());
  for (; at < positions_.size() && positions_[at] - first < slice->num_rows; ++at)
    set(positions_[at] - first, entries_[at]);
}

ClusteredFeature::Slice ClusteredFeature::MakeSlice(uint32_t first, uint32_t num_rows) const {
  const RowBatch::FeatureBuffer& rows = *source_.rows;
  const uint32_t per_row = source_.entries_per_row();
  Slice slice;
  slice.num_rows = num_rows;
  slice.column.entries_per_row = per_row;
  if (rows.all_present && per_row == 1) {
    slice.column.starts = std::span(order_.input_entry).subspan(first, num_rows);
  } else {
    slice.shape.assign(num_rows, 0);
    slice.starts.assign(num_rows, 0);
    FillSlice(first, &slice);
    slice.column.shape = slice.shape;
    slice.column.starts = slice.starts;
  }
  for (size_t c = 0; c < source_.spec->columns.size(); ++c) {
    slice.column.values.push_back(
        {rows.values[c].data(), TypeWidth(source_.spec->columns[c].type)});
  }
  return slice;
}

}  // namespace dsi::internal
