#include "dsi/writer/cluster/clustered_feature_internal.h"

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

size_t ClusteredFeature::CountPresent(std::span<const RowInterval> ranges) const {
  size_t count = 0;
  for (const RowInterval& range : ranges) {
    if (source_.rows->all_present) {
      count += range.num_rows;
      continue;
    }
    const auto begin = std::lower_bound(positions_.begin(), positions_.end(), range.first);
    const auto end = std::lower_bound(begin, positions_.end(), range.first + range.num_rows);
    count += static_cast<size_t>(end - begin);
  }
  return count;
}

uint64_t ClusteredFeature::CountEntries(const RowInterval& range) const {
  if (!source_.has_lengths()) return CountPresent({&range, 1}) * source_.entries_per_row();
  const std::vector<uint32_t>& lengths = source_.rows->lengths;
  uint64_t entries = 0;
  if (source_.rows->all_present) {
    for (uint32_t i = 0; i < range.num_rows; ++i)
      entries += lengths[order_.input_row[range.first + i]];
    return entries;
  }
  auto i = static_cast<size_t>(std::lower_bound(positions_.begin(), positions_.end(), range.first) -
                               positions_.begin());
  for (; i < positions_.size() && positions_[i] - range.first < range.num_rows; ++i)
    entries += lengths[entries_[i]];
  return entries;
}

void ClusteredFeature::FillRows(const RowInterval& range, uint32_t at, FeatureSlice* slice) const {
  const RowBatch::FeatureBuffer& rows = *source_.rows;
  const uint32_t per_row = slice->entries_per_row;
  const auto set = [&](uint32_t row, uint32_t entry) {
    slice->codes[row] = per_row == 0 ? rows.lengths[entry] + 1 : 1;
    slice->first_entries[row] =
        per_row == 0 ? starts_[entry] : static_cast<uint64_t>(entry) * per_row;
  };
  if (rows.all_present) {
    for (uint32_t row = 0; row < range.num_rows; ++row)
      set(at + row, order_.input_row[range.first + row]);
    return;
  }
  auto i = static_cast<size_t>(std::lower_bound(positions_.begin(), positions_.end(), range.first) -
                               positions_.begin());
  for (; i < positions_.size() && positions_[i] - range.first < range.num_rows; ++i)
    set(at + positions_[i] - range.first, entries_[i]);
}

FeatureSlice ClusteredFeature::MakeRows(std::span<const RowInterval> ranges,
                                        std::span<const uint64_t> entries) const {
  const RowBatch::FeatureBuffer& rows = *source_.rows;
  const uint32_t per_row = source_.entries_per_row();
  FeatureSlice slice;
  slice.num_rows = static_cast<uint32_t>(entries.size());
  slice.entries_per_row = per_row;
  if (rows.all_present && per_row == 1) {
    slice.starts = entries;
  } else {
    slice.codes.assign(slice.num_rows, 0);
    slice.first_entries.assign(slice.num_rows, 0);
    uint32_t at = 0;
    for (const RowInterval& range : ranges) {
      FillRows(range, at, &slice);
      at += range.num_rows;
    }
    slice.shape = slice.codes;
    slice.starts = slice.first_entries;
  }
  for (size_t c = 0; c < source_.spec->columns.size(); ++c) {
    slice.values.push_back({rows.values[c].data(), TypeWidth(source_.spec->columns[c].type)});
  }
  return slice;
}

FeatureSlice ClusteredFeature::MakeRows(uint32_t first, uint32_t num_rows) const {
  const RowInterval range{first, num_rows};
  return MakeRows({&range, 1}, std::span(order_.input_entry).subspan(first, num_rows));
}

FeatureSlice ClusteredFeature::MakeRows(const RowSample& sample) const {
  return MakeRows(sample.ranges, sample.input_entry);
}

}  // namespace dsi::internal
