#include "dsi/dedup/key_index_internal.h"

#include <algorithm>
#include <unordered_map>

#include "dsi/dedup/group_search_internal.h"
#include "dsi/dedup/row_compare_internal.h"
#include "dsi/dedup/value_cost_internal.h"
#include "dsi/dedup/windows_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kSampleSize = 1024;
constexpr size_t kMostLookedAt = 32'768;  // Rows that are held against the ones before.
constexpr size_t kFirstLook = 32;         // Enough to see that most rows change.
constexpr uint32_t kMostChanges = 1024;   // Changes that say what is new in them.
constexpr size_t kMostCompared = 256;     // Pairs of lists whose overlap is searched.
constexpr size_t kFewestSteps = 24;       // Numbers met again that say whether steps repeat.

// Of numbers: how many are not what came after the same number elsewhere.
double ShareOfNewSteps(const FeatureRows& feature,
                       std::span<const std::pair<uint32_t, uint32_t>> changed) {
  std::unordered_map<uint64_t, uint64_t> after;
  size_t met = 0;
  size_t same = 0;
  for (const auto& [before, row] : changed) {
    const uint64_t next = HashRow(feature, row);
    const auto [it, is_new] = after.try_emplace(HashRow(feature, before), next);
    if (is_new) continue;
    ++met;
    same += it->second == next ? 1 : 0;
    it->second = next;
  }
  return met < kFewestSteps ? 1 : 1 - double(same) / double(met);
}

// One row from each of so many equal stretches, at a place inside it that has no period.
std::vector<uint32_t> Spread(size_t num_rows, size_t count) {
  const double stretch = std::max(1.0, double(num_rows) / double(count));
  std::vector<uint32_t> rows;
  for (size_t i = 0; double(i) * stretch < double(num_rows); ++i) {
    const uint32_t jitter = static_cast<uint32_t>(i) * 2654435769U >> 16;
    const double place = (double(i) + double(jitter) / 65536.0) * stretch;
    if (place < double(num_rows)) rows.push_back(static_cast<uint32_t>(place));
  }
  return rows;
}

// As many of ascending rows as a cost needs, spread over all.
std::vector<uint32_t> SampleOf(const std::vector<uint32_t>& rows) {
  const size_t step = std::max<size_t>(1, rows.size() / kCostSample);
  std::vector<uint32_t> sample;
  for (size_t i = 0; i < rows.size(); i += step) sample.push_back(rows[i]);
  return sample;
}

}  // namespace

double NewShare(const FeatureRows& feature,
                std::span<const std::pair<uint32_t, uint32_t>> changed) {
  if (feature.entries_per_row != 0) return ShareOfNewSteps(feature, changed);
  size_t entries = 0;
  size_t fresh = 0;
  for (size_t i = 0; i < std::min(changed.size(), kMostCompared); ++i) {
    const auto [before, row] = changed[i];
    entries += EntriesOf(feature, ShapeOf(feature, row));
    fresh += CountNewEntries(feature, before, row);
  }
  return entries == 0 ? 1 : double(fresh) / double(entries);
}

uint64_t CountEntries(const FeatureRows& feature, const ChangeBits& rows) {
  if (feature.shape.empty()) return uint64_t{rows.Count()} * feature.entries_per_row;
  uint64_t count = 0;
  rows.ForEach([&](uint32_t row) { count += EntriesOf(feature, feature.shape[row]); });
  return count;
}

std::vector<uint32_t> RowsToLookAt(size_t num_rows) { return Spread(num_rows, kMostLookedAt); }

KeyIndex::KeyIndex(const UniqueRows& key, std::span<const uint32_t> rows_in_time,
                   std::span<const uint32_t> looked_at)
    : previous_(rows_in_time.size()),
      firsts_(rows_in_time.size()),
      looked_at_(looked_at),
      scale_(double(rows_in_time.size()) / double(std::max<size_t>(looked_at.size(), 1))),
      num_values_(static_cast<uint32_t>(key.first_row.size())) {
  constexpr uint32_t kNone = UINT32_MAX;
  const size_t num_rows = rows_in_time.size();
  std::vector<uint32_t> last(num_values_, kNone);
  for (const uint32_t row : rows_in_time) {
    uint32_t& of_value = last[key.inverse[row]];
    if (of_value == kNone) firsts_.Set(row);
    previous_[row] = of_value == kNone ? row : of_value;
    of_value = row;
  }
  first_rows_ = SampleOf(key.first_row);
  const size_t repeated = num_rows - num_values_;
  if (repeated == 0) return;
  for (size_t row : Spread(num_rows, kSampleSize)) {
    while (row < num_rows && previous_[row] == row) ++row;
    if (row < num_rows && (sampled_rows_.empty() || sampled_rows_.back() != row)) {
      sampled_rows_.push_back(static_cast<uint32_t>(row));
    }
  }
  // The first look must see rows from everywhere: a fixed shuffle.
  uint32_t state = 1;
  for (size_t i = sampled_rows_.size(); i > 1; --i) {
    state = state * 1664525U + 1013904223U;
    std::swap(sampled_rows_[i - 1], sampled_rows_[(uint64_t{state} * i) >> 32]);
  }
}

double KeyIndex::SampleChanges(const FeatureRows& feature, double limit) const {
  if (sampled_rows_.empty()) return 0;
  return WithRowComparer(feature, [&](const auto& equal) {
    size_t changes = 0;
    size_t seen = 0;
    for (const uint32_t row : sampled_rows_) {
      changes += ShapeOf(feature, row) == 0 || equal(row, previous_[row]) ? 0 : 1;
      if (++seen == kFirstLook && double(changes) > double(seen) * std::min(1.0, limit + 0.25)) {
        break;
      }
    }
    return double(changes) / double(seen);
  });
}

double KeyIndex::CountEntriesOf(const FeatureRows& feature, const ChangeBits& changes) const {
  if (feature.shape.empty()) return CountRows(changes) * feature.entries_per_row;
  uint64_t count = 0;
  changes.ForEach([&](uint32_t i) { count += EntriesOf(feature, feature.shape[looked_at_[i]]); });
  return scale_ * double(count);
}

std::vector<uint32_t> KeyIndex::SomeRows(const ChangeBits& changes, uint32_t count) const {
  std::vector<uint32_t> rows;
  changes.AppendEvery(std::max<uint32_t>(1, changes.Count() / count), &rows);
  for (uint32_t& row : rows) row = looked_at_[row];
  return rows;
}

double KeyIndex::NewShareOf(const FeatureRows& feature, const ChangeBits& changes) const {
  std::vector<std::pair<uint32_t, uint32_t>> changed;
  for (const uint32_t row : SomeRows(changes, kMostChanges)) {
    if (ShapeOf(feature, row) != 0) changed.emplace_back(previous_[row], row);
  }
  return NewShare(feature, changed);
}

ChangeBits KeyIndex::FindChanges(const FeatureRows& feature, HashesAsAsked* hashes) const {
  const auto find = [&](const auto& equal) {
    return ChangeBits::Of(looked_at_.size(), [&](size_t i) {
      return !equal(looked_at_[i], previous_[looked_at_[i]]);
    });
  };
  if (hashes == nullptr) return WithRowComparer(feature, find);
  return find([&](uint32_t a, uint32_t b) { return hashes->Of(a) == hashes->Of(b); });
}

bool KeyIndex::Changes(const FeatureRows& feature, std::span<const uint64_t> hashes) const {
  const auto any = [&](const auto& equal) {
    for (size_t row = 0; row < previous_.size(); ++row) {
      if (!equal(row, previous_[row])) return true;
    }
    return false;
  };
  if (hashes.empty()) return WithRowComparer(feature, any);
  return any([&](size_t a, size_t b) { return hashes[a] == hashes[b]; });
}

}  // namespace dsi::internal
