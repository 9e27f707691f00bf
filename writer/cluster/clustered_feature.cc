#include "dsi/writer/cluster/clustered_feature_internal.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dsi::internal {

ClusteredFeature::ClusteredFeature(const FeatureSource& source) : source_(source) {
  if (!source.has_lengths()) return;
  const RowBatch::FeatureBuffer& rows = *source.rows;
  starts_ = StartsOf(rows.lengths);
  codes_.resize(rows.lengths.size());
  for (size_t i = 0; i < codes_.size(); ++i) codes_[i] = rows.lengths[i] + 1;
  if (rows.lists.empty()) return;
  std::vector<uint32_t> codes(rows.lists.size());
  std::vector<uint64_t> starts(rows.lists.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i] = codes_[rows.lists[i]];
    starts[i] = starts_[rows.lists[i]];
  }
  codes_ = std::move(codes);
  starts_ = std::move(starts);
}

ClusteredFeature::Places ClusteredFeature::PlacesOf(const RowInterval& range) const {
  if (source_.rows->all_present) return {range.first, size_t{range.first} + range.num_rows};
  const std::vector<uint32_t>& rows = source_.rows->rows;
  const auto begin = std::lower_bound(rows.begin(), rows.end(), range.first);
  const auto end = std::lower_bound(begin, rows.end(), uint64_t{range.first} + range.num_rows);
  return {static_cast<size_t>(begin - rows.begin()), static_cast<size_t>(end - rows.begin())};
}

size_t ClusteredFeature::CountPresent(std::span<const RowInterval> ranges) const {
  size_t count = 0;
  for (const RowInterval& range : ranges) {
    const Places places = PlacesOf(range);
    count += places.end - places.begin;
  }
  return count;
}

uint64_t ClusteredFeature::CountEntries(const RowInterval& range) const {
  const Places places = PlacesOf(range);
  if (!source_.has_lengths()) return (places.end - places.begin) * source_.entries_per_row();
  const auto codes = std::span(codes_).subspan(places.begin, places.end - places.begin);
  return std::accumulate(codes.begin(), codes.end(), uint64_t{0}) - codes.size();
}

FeatureSlice ClusteredFeature::EmptySlice(uint32_t num_rows) const {
  FeatureSlice slice;
  slice.num_rows = num_rows;
  slice.entries_per_row = source_.entries_per_row();
  slice.in_a_row = source_.rows->all_present && source_.rows->lists.empty();
  for (size_t c = 0; c < source_.spec->columns.size(); ++c) {
    slice.values.push_back(
        {source_.rows->values[c].data(), TypeWidth(source_.spec->columns[c].type)});
  }
  return slice;
}

void ClusteredFeature::FillRows(const RowInterval& range, uint32_t at, FeatureSlice* slice) const {
  const RowBatch::FeatureBuffer& rows = *source_.rows;
  const uint32_t per_row = slice->entries_per_row;
  const Places places = PlacesOf(range);
  for (size_t i = places.begin; i < places.end; ++i) {
    const size_t row = at + (rows.all_present ? i : rows.rows[i]) - range.first;
    slice->codes[row] = per_row == 0 ? codes_[i] : 1;
    slice->first_entries[row] = per_row == 0 ? starts_[i] : uint64_t{i} * per_row;
  }
}

FeatureSlice ClusteredFeature::MakeRows(uint32_t first, uint32_t num_rows) const {
  FeatureSlice slice = EmptySlice(num_rows);
  if (!source_.rows->all_present) {
    slice.codes.assign(num_rows, 0);
    slice.first_entries.assign(num_rows, 0);
    FillRows({first, num_rows}, 0, &slice);
    slice.shape = slice.codes;
    slice.starts = slice.first_entries;
  } else if (source_.has_lengths()) {
    slice.shape = std::span(codes_).subspan(first, num_rows);
    slice.starts = std::span(starts_).subspan(first, num_rows);
  } else {
    for (FeatureRows::Values& values : slice.values)
      values.data += size_t{first} * slice.entries_per_row * static_cast<size_t>(values.width);
  }
  return slice;
}

FeatureSlice ClusteredFeature::MakeRows(const RowSample& sample) const {
  if (sample.ranges.size() == 1) return MakeRows(sample.ranges[0].first, sample.ranges[0].num_rows);
  FeatureSlice slice = EmptySlice(sample.num_rows());
  slice.in_a_row = false;
  slice.codes.assign(slice.num_rows, 0);
  slice.first_entries.assign(slice.num_rows, 0);
  uint32_t at = 0;
  for (const RowInterval& range : sample.ranges) {
    FillRows(range, at, &slice);
    at += range.num_rows;
  }
  slice.shape = slice.codes;
  slice.starts = slice.first_entries;
  return slice;
}

}  // namespace dsi::internal
