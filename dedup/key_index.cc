#include "dsi/dedup/key_index_internal.h"

#include <algorithm>

#include "dsi/dedup/group_search_internal.h"
#include "dsi/dedup/row_compare_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kSampleSize = 1024;
constexpr size_t kFirstLook = 32;  // Enough to see that most rows change.

}  // namespace

KeyIndex::KeyIndex(const RowColumn& key, size_t num_rows)
    : previous_(num_rows), first_rows_(num_rows) {
  const UniqueRows unique = FindUniqueOf(key, num_rows);
  num_values_ = static_cast<uint32_t>(unique.first_row.size());
  std::vector<uint32_t> last(num_values_, kNone);
  for (uint32_t row = 0; row < num_rows; ++row) {
    uint32_t& of_value = last[unique.inverse[row]];
    previous_[row] = of_value;
    of_value = row;
    if (previous_[row] == kNone) first_rows_.Set(row);
  }
  // One row from each of equal stretches, at a place inside it that has no period.
  const size_t repeated = num_rows - num_values_;
  if (repeated == 0) return;
  const double stretch = std::max(1.0, double(num_rows) / double(kSampleSize));
  for (size_t i = 0; double(i) * stretch < double(num_rows); ++i) {
    const uint32_t jitter = static_cast<uint32_t>(i) * 2654435769U >> 16;
    const double place = (double(i) + double(jitter) / 65536.0) * stretch;
    size_t row = static_cast<size_t>(place);
    while (row < num_rows && previous_[row] == kNone) ++row;
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

double KeyIndex::SampleChanges(const RowColumn& feature, double limit) const {
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

std::optional<ChangeBits> KeyIndex::FindChanges(const RowColumn& feature,
                                                uint32_t max_changes) const {
  return WithRowComparer(feature, [&](const auto& equal) -> std::optional<ChangeBits> {
    ChangeBits changes(previous_.size());
    uint32_t count = 0;
    for (uint32_t row = 0; row < previous_.size(); ++row) {
      if (previous_[row] == kNone || equal(row, previous_[row])) continue;
      if (++count > max_changes) return std::nullopt;
      changes.Set(row);
    }
    return changes;
  });
}

uint32_t KeyIndex::CountPresent(const RowColumn& feature, const ChangeBits& changes) const {
  if (feature.shape.empty()) return num_values_ + changes.Count();
  uint32_t count = 0;
  for (uint32_t row = 0; row < previous_.size(); ++row) {
    const bool is_new = previous_[row] == kNone || changes.Test(row);
    count += is_new && ShapeOf(feature, row) != 0 ? 1 : 0;
  }
  return count;
}

std::vector<uint32_t> KeyIndex::Versions(const ChangeBits& changes) const {
  std::vector<uint32_t> versions(previous_.size());
  uint32_t next = 0;
  for (uint32_t row = 0; row < previous_.size(); ++row) {
    const bool is_new = previous_[row] == kNone || changes.Test(row);
    versions[row] = is_new ? next++ : versions[previous_[row]];
  }
  return versions;
}

}  // namespace dsi::internal
