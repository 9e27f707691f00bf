#include "dsi/dedup/find_groups_internal.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "dsi/dedup/find_parents_internal.h"
#include "dsi/dedup/group_cost_internal.h"
#include "dsi/dedup/group_search_internal.h"
#include "dsi/dedup/key_index_internal.h"
#include "dsi/dedup/row_compare_internal.h"
#include "dsi/dedup/value_cost_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

uint32_t CountPresent(const FeatureRows& column, size_t num_rows) {
  if (column.shape.empty()) return static_cast<uint32_t>(num_rows);
  uint32_t count = 0;
  for (size_t row = 0; row < num_rows; ++row) count += column.shape[row] != 0 ? 1 : 0;
  return count;
}

uint64_t CountEntries(const FeatureRows& column, size_t num_rows) {
  if (column.shape.empty()) return num_rows * column.entries_per_row;
  uint64_t count = 0;
  for (size_t row = 0; row < num_rows; ++row) count += EntriesOf(column, column.shape[row]);
  return count;
}

uint64_t CountEntriesOfRuns(const FeatureRows& column, std::span<const uint8_t> same) {
  uint64_t count = 0;
  for (size_t row = 0; row < same.size(); ++row) {
    if (same[row] == 0) count += EntriesOf(column, ShapeOf(column, row));
  }
  return count;
}

constexpr uint32_t kSampleSize = 512;  // Rows that show how a feature moves from row to row.

// What the rows that differ from the row before cost where only what is new in them is stored.
double CostInRuns(const SearchedFeature& feature, std::span<const uint32_t> rows) {
  constexpr double kWindowBits = 4;
  if (!feature.moves) return feature.bits_in_runs;
  std::vector<std::pair<uint32_t, uint32_t>> changed;
  for (const uint32_t row : rows) {
    if (row != 0 && ShapeOf(*feature.column, row) != 0) changed.emplace_back(row - 1, row);
  }
  const double num_changed = feature.bits_in_runs / feature.bits_present;
  return std::min(feature.bits_in_runs, feature.bits_in_runs * NewShare(*feature.column, changed) +
                                            num_changed * kWindowBits);
}

// A feature worth a search, and its run pattern.
struct Described {
  SearchedFeature feature;
  ChangeBits changes;
  uint64_t hash = 0;  // Of the changes.
};

// Nothing for a feature whose stripe costs next to nothing, or that no row has: it is left out
// before anything is compared.
std::optional<Described> DescribeFeature(const GroupCandidate& candidate, size_t num_rows) {
  if (candidate.declared_group >= 0) return {};
  const FeatureRows& column = *candidate.column;
  const auto rows = static_cast<double>(num_rows);
  double bits = candidate.bits_per_row;
  if (!candidate.is_key && bits * rows < kMinFeatureBits) return {};
  const uint32_t num_present = CountPresent(column, num_rows);
  if (num_present == 0) return {};
  std::vector<uint8_t> same(num_rows);
  MarkRepeats(column, num_rows, same);
  Described d;
  d.changes = ChangeBits::FromRepeats(same);
  d.hash = d.changes.Hash();
  SearchedFeature& feature = d.feature;
  feature.column = candidate.column;
  feature.num_runs = d.changes.Count();
  std::vector<uint32_t> sample;
  d.changes.AppendEvery(std::max<uint32_t>(1, feature.num_runs / kSampleSize), &sample);
  const auto entries = static_cast<double>(std::max<uint64_t>(CountEntries(column, num_rows), 1));
  feature.bits_alone = bits * rows / num_present;
  feature.bits_in_runs =
      bits * rows / entries * static_cast<double>(CountEntriesOfRuns(column, same));
  if (column.entries_per_row == 1) {
    bits = std::min(bits, CodedBitsInRows(column, num_rows, feature.bits_alone));
    std::vector<uint32_t> changed;
    d.changes.AppendEvery(std::max<uint32_t>(1, feature.num_runs / kCostSample), &changed);
    feature.bits_in_runs = std::min(
        feature.bits_in_runs, CodedBits(column, changed, feature.bits_alone) * feature.num_runs);
  }
  feature.bits = bits;
  feature.bits_present = bits * rows / num_present;
  feature.bits_of_entry = bits * rows / entries;
  feature.is_text = column.entries_per_row == 0 && column.values[0].width == 1;
  feature.moves = column.entries_per_row <= 1;
  feature.cost_in_runs = std::min(CostInRuns(feature, sample), rows * bits);
  feature.is_key = candidate.is_key;
  return d;
}

Result<GroupSearch> Describe(std::span<const GroupCandidate> candidates, size_t num_rows,
                             RowHashes hashes, std::span<const uint32_t> rows_in_time,
                             const ForEach& for_each) {
  std::vector<std::optional<Described>> described(candidates.size());
  DSI_RETURN_IF_ERROR(for_each(candidates.size(), [&](size_t i) {
    described[i] = DescribeFeature(candidates[i], num_rows);
  }));
  GroupSearch search{.num_rows = num_rows,
                     .hashes = std::move(hashes),
                     .rows_in_time = rows_in_time,
                     .for_each = for_each};
  std::unordered_multimap<uint64_t, uint32_t> pattern_of_hash;
  for (uint32_t i = 0; i < candidates.size(); ++i) {
    if (!described[i]) continue;
    Described& d = *described[i];
    const auto [begin, end] = pattern_of_hash.equal_range(d.hash);
    const auto known = std::find_if(
        begin, end, [&](const auto& entry) { return search.patterns[entry.second] == d.changes; });
    d.feature.candidate = i;
    d.feature.pattern =
        known != end ? known->second : static_cast<uint32_t>(search.patterns.size());
    if (known == end) {
      pattern_of_hash.emplace(d.hash, d.feature.pattern);
      search.patterns.push_back(std::move(d.changes));
    }
    search.features.push_back(d.feature);
    described[i].reset();
  }
  return search;
}

// Parents first; otherwise declared groups by number, then the others by their first member.
std::vector<FoundGroup> InOrder(std::vector<FoundGroup> groups) {
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto depth = [&groups](size_t g) {
    int parents = 0;
    for (; groups[g].parent >= 0; g = static_cast<size_t>(groups[g].parent)) ++parents;
    return parents;
  };
  const auto key = [&](size_t g) {
    const FoundGroup& group = groups[g];
    const int declared = group.declared >= 0 ? group.declared : INT32_MAX;
    return std::tuple(depth(g), declared, group.members.front());
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<int> place(groups.size());
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  std::vector<FoundGroup> sorted;
  for (const size_t g : order) {
    sorted.push_back(std::move(groups[g]));
    if (sorted.back().parent >= 0)
      sorted.back().parent = place[static_cast<size_t>(sorted.back().parent)];
  }
  return sorted;
}

}  // namespace

Status HashFeatures(std::span<const uint32_t> features, GroupSearch* search) {
  std::vector<RowHashes::Column> columns;
  for (const uint32_t f : features) {
    const SearchedFeature& feature = search->features[f];
    columns.push_back({feature.candidate, &search->patterns[feature.pattern]});
  }
  return search->hashes.Make(columns, search->for_each);
}

Result<std::vector<std::pair<uint32_t, uint32_t>>> ByNumValues(std::span<const uint32_t> features,
                                                               GroupSearch* search) {
  DSI_RETURN_IF_ERROR(HashFeatures(features, search));
  std::vector<std::pair<uint32_t, uint32_t>> by_values(features.size());
  DSI_RETURN_IF_ERROR(search->for_each(features.size(), [&](size_t i) {
    const UniqueRows unique = search->hashes.Number({&search->features[features[i]].candidate, 1});
    by_values[i] = {static_cast<uint32_t>(unique.first_row.size()), features[i]};
  }));
  std::sort(by_values.begin(), by_values.end());
  return by_values;
}

Status OneByOne(size_t count, const std::function<void(size_t)>& work) {
  for (size_t i = 0; i < count; ++i) work(i);
  return Status::Ok();
}

Result<std::vector<FoundGroup>> FindGroups(std::span<const GroupCandidate> candidates,
                                           size_t num_rows, std::span<const uint32_t> rows_in_time,
                                           const ForEach& for_each) {
  RowHashes hashes(candidates, num_rows);
  std::vector<FoundGroup> groups = DescribeDeclaredGroups(candidates, hashes, rows_in_time);
  if (num_rows == 0) return groups;

  DSI_ASSIGN_OR_RETURN(GroupSearch search,
                       Describe(candidates, num_rows, std::move(hashes), rows_in_time, for_each));
  const auto append = [&groups](std::vector<FoundGroup> found) {
    const auto before = static_cast<int>(groups.size());
    for (FoundGroup& group : found) {
      if (group.parent >= 0) group.parent += before;
      groups.push_back(std::move(group));
    }
  };
  DSI_ASSIGN_OR_RETURN(std::vector<FoundGroup> of_keys, FindKeyGroups(&search));
  append(std::move(of_keys));
  ResolveOwners(candidates, &groups);
  std::vector<bool> owns_itself(candidates.size(), false);
  for (const FoundGroup& group : groups) {
    if (group.members.size() == 1 && group.owner == static_cast<int>(group.members[0]))
      owns_itself[group.members[0]] = true;
  }
  for (SearchedFeature& feature : search.features)
    feature.taken = feature.taken || owns_itself[feature.candidate];
  DSI_ASSIGN_OR_RETURN(std::vector<FoundGroup> by_content, FindContentGroups(&search));
  append(std::move(by_content));
  const size_t first_run_group = groups.size();
  std::vector<ChangeBits> changes;
  for (RunGroup& found : FindRunGroups(search)) {
    groups.push_back(std::move(found.group));
    changes.push_back(std::move(found.changes));
  }
  FindParents(search, candidates, changes, first_run_group, groups);
  return InOrder(std::move(groups));
}

}  // namespace dsi::internal
