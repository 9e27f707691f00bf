#include "dsi/writer/group_index_internal.h"

#include <algorithm>

#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {
namespace {

constexpr double kStoredShare =
    0.5;  // Encoded bytes of a value per raw byte, roughly, when forms are compared.
constexpr uint64_t kAnywhereBytes =
    2ULL << 30;  // Memory for finding repeats anywhere; wider groups are searched for runs only.

// Raw bytes of the given rows in all columns of the features.
double StoredBytes(std::span<const ClusteredFeature::Slice> slices,
                   const std::vector<uint32_t>& rows) {
  double bytes = 0;
  for (const ClusteredFeature::Slice& slice : slices) {
    double width = 0;
    for (const RowColumn::Values& values : slice.column.values) width += values.width;
    const uint32_t per_row = slice.column.entries_per_row;
    uint64_t entries = 0;
    for (const uint32_t row : rows) {
      if (slice.shape[row] > 0) entries += per_row != 0 ? per_row : slice.shape[row] - 1;
    }
    bytes += width * static_cast<double>(entries);
  }
  return bytes * kStoredShare;
}

template <typename T>
EncodedStream EncodeIndex(const std::vector<T>& values, uint32_t page_values,
                          const EncodeTuning& tuning) {
  return EncodeStream({.values = values.data(), .count = values.size(), .width = sizeof(T)},
                      page_values, tuning);
}

// Run lengths or one bit per row, whichever encodes smaller.
void EncodeRuns(const UniqueRows& runs, uint32_t num_rows, uint32_t page_values,
                const EncodeTuning& tuning, GroupIndex* index) {
  std::vector<uint32_t> lengths(runs.first_row.size());
  std::vector<uint8_t> is_new(num_rows, 0);
  for (size_t u = 0; u < lengths.size(); ++u) {
    const uint32_t end = u + 1 < lengths.size() ? runs.first_row[u + 1] : num_rows;
    lengths[u] = end - runs.first_row[u];
    is_new[runs.first_row[u]] = 1;
  }
  EncodedStream by_length = EncodeIndex(lengths, page_values, tuning);
  EncodedStream by_bit = EncodeIndex(is_new, page_values, tuning);
  const bool bits = by_bit.bytes() < by_length.bytes();
  index->record.form = bits ? 2 : 1;
  index->stream = std::move(bits ? by_bit : by_length);
}

}  // namespace

GroupIndex BuildGroupIndex(std::span<const ClusteredFeature* const> features, bool anywhere,
                           uint32_t first, uint32_t num_rows, uint32_t page_values,
                           const EncodeTuning& tuning) {
  GroupIndex index;
  index.record = {.form = 0, .num_unique = num_rows};

  const uint64_t slice_bytes =
      static_cast<uint64_t>(num_rows) * (sizeof(uint32_t) + sizeof(uint64_t)) * features.size();
  std::vector<ClusteredFeature::Slice> slices;
  std::vector<const RowColumn*> columns;
  slices.reserve(features.size());
  if (slice_bytes > kAnywhereBytes) {
    // Too wide to hold all slices: repeats of each feature in turn are joined, which finds runs
    // exactly.
    std::vector<uint8_t> all(num_rows, 1);
    std::vector<uint8_t> one(num_rows);
    for (const ClusteredFeature* feature : features) {
      const ClusteredFeature::Slice slice = feature->MakeSlice(first, num_rows);
      MarkRepeats(slice.column, num_rows, one);
      for (uint32_t r = 0; r < num_rows; ++r) all[r] &= one[r];
    }
    UniqueRows runs;
    for (uint32_t r = 0; r < num_rows; ++r) {
      if (all[r] == 0) runs.first_row.push_back(r);
    }
    if (runs.first_row.size() * 8 > static_cast<size_t>(num_rows) * 7) return index;
    index.record.num_unique = static_cast<uint32_t>(runs.first_row.size());
    EncodeRuns(runs, num_rows, page_values, tuning, &index);
    index.stored_rows = std::move(runs.first_row);
    return index;
  }

  for (const ClusteredFeature* feature : features) {
    slices.push_back(feature->MakeSlice(first, num_rows));
    columns.push_back(&slices.back().column);
  }
  std::vector<uint32_t> every_row(num_rows);
  for (uint32_t r = 0; r < num_rows; ++r) every_row[r] = r;
  const double identity_cost = StoredBytes(slices, every_row);

  UniqueRows runs = FindRuns(columns, num_rows);
  GroupIndex by_runs;
  by_runs.record.num_unique = static_cast<uint32_t>(runs.first_row.size());
  EncodeRuns(runs, num_rows, page_values, tuning, &by_runs);
  double best = static_cast<double>(by_runs.stream.bytes()) + StoredBytes(slices, runs.first_row);
  if (best < identity_cost) {
    by_runs.stored_rows = std::move(runs.first_row);
    index = std::move(by_runs);
  } else {
    best = identity_cost;
  }
  if (!anywhere) return index;

  std::vector<uint64_t> hashes(num_rows, 0);
  std::vector<uint64_t> column_hashes(num_rows);
  for (const RowColumn* column : columns) {
    HashRows(*column, num_rows, column_hashes);
    CombineHashes(hashes, column_hashes);
  }
  UniqueRows unique = FindUnique(columns, hashes);
  if (unique.first_row.size() == index.record.num_unique)
    return index;  // Nothing repeats but in runs.
  GroupIndex general;
  general.record = {.form = 3, .num_unique = static_cast<uint32_t>(unique.first_row.size())};
  general.stream = EncodeIndex(unique.inverse, page_values, tuning);
  if (static_cast<double>(general.stream.bytes()) + StoredBytes(slices, unique.first_row) < best) {
    general.stored_rows = std::move(unique.first_row);
    index = std::move(general);
  }
  return index;
}

}  // namespace dsi::internal
