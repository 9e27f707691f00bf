#include "dsi/dedup/find_groups_internal.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "dsi/dedup/group_cost_internal.h"
#include "dsi/dedup/group_search_internal.h"

namespace dsi::internal {
namespace {

uint32_t CountPresent(const RowColumn& column, size_t num_rows) {
  if (column.shape.empty()) return static_cast<uint32_t>(num_rows);
  uint32_t count = 0;
  for (size_t row = 0; row < num_rows; ++row) count += column.shape[row] != 0 ? 1 : 0;
  return count;
}

uint32_t CountPresentRuns(const RowColumn& column, std::span<const uint8_t> same) {
  uint32_t count = 0;
  for (size_t row = 0; row < same.size(); ++row) {
    count += static_cast<uint32_t>(column.shape[row] != 0) & (same[row] ^ 1U);
  }
  return count;
}

// Describes the features worth a search. Features whose stripe costs next to nothing, and those
// with no row present, are left out before anything is compared.
GroupSearch Describe(std::span<const GroupCandidate> candidates, size_t num_rows) {
  GroupSearch search;
  search.num_rows = num_rows;
  std::unordered_multimap<uint64_t, uint32_t> pattern_of_hash;
  std::vector<uint8_t> same(num_rows);
  for (uint32_t i = 0; i < candidates.size(); ++i) {
    const GroupCandidate& candidate = candidates[i];
    if (candidate.declared_group >= 0) continue;
    const double bits = candidate.bits_per_row;
    if (!candidate.is_key && bits * static_cast<double>(num_rows) < kMinFeatureBits) continue;
    const uint32_t num_present = CountPresent(*candidate.column, num_rows);
    if (num_present == 0) continue;
    MarkRepeats(*candidate.column, num_rows, same);
    ChangeBits changes = ChangeBits::FromRepeats(same);
    const uint32_t num_runs = changes.Count();
    const uint64_t hash = changes.Hash();
    uint32_t pattern = static_cast<uint32_t>(search.patterns.size());
    const auto [begin, end] = pattern_of_hash.equal_range(hash);
    const auto known = std::find_if(
        begin, end, [&](const auto& entry) { return search.patterns[entry.second] == changes; });
    if (known != end) {
      pattern = known->second;
    } else {
      pattern_of_hash.emplace(hash, pattern);
      search.patterns.push_back(std::move(changes));
    }
    SearchedFeature feature;
    feature.candidate = i;
    feature.column = candidate.column;
    feature.bits = bits;
    feature.bits_present = bits * static_cast<double>(num_rows) / num_present;
    feature.bits_in_runs =
        feature.bits_present *
        (candidate.column->shape.empty() ? num_runs : CountPresentRuns(*candidate.column, same));
    feature.is_key = candidate.is_key;
    feature.num_runs = num_runs;
    feature.pattern = pattern;
    search.features.push_back(feature);
  }
  return search;
}

// A declared group keeps its members; only how its repeats are found, and its owner, are open.
FoundGroup DescribeDeclared(std::span<const GroupCandidate> candidates,
                            std::vector<uint32_t> members, int declared, size_t num_rows) {
  FoundGroup group;
  group.declared = declared;
  group.members = std::move(members);
  if (num_rows == 0) return group;
  std::vector<const RowColumn*> columns;
  std::vector<uint64_t> hashes(num_rows);
  std::vector<uint64_t> of_column(num_rows);
  double bits = 0;
  for (const uint32_t member : group.members) {
    columns.push_back(candidates[member].column);
    bits += candidates[member].bits_per_row;
    HashRows(*columns.back(), num_rows, of_column);
    CombineHashes(hashes, of_column);
  }
  const UniqueRows unique = FindUnique(columns, hashes);
  const double rows = static_cast<double>(num_rows);
  const double num_unique = static_cast<double>(unique.first_row.size());
  double num_runs = 1;
  for (size_t row = 1; row < num_rows; ++row) {
    num_runs += unique.inverse[row] != unique.inverse[row - 1] ? 1 : 0;
  }
  group.anywhere = num_unique * bits + GeneralIndexBits(rows, num_unique, num_runs) <
                   num_runs * bits + RunIndexBits(rows, num_runs);
  for (const uint32_t member : group.members) {
    if (!candidates[member].is_key) continue;
    // The key owns the group when it has as many values as the group has unique rows.
    if (FindUniqueOf(*candidates[member].column, num_rows).first_row.size() ==
        unique.first_row.size()) {
      group.owner = static_cast<int>(member);
      break;
    }
  }
  return group;
}

}  // namespace

UniqueRows FindUniqueOf(const RowColumn& column, size_t num_rows) {
  std::vector<uint64_t> hashes(num_rows);
  HashRows(column, num_rows, hashes);
  const RowColumn* columns[] = {&column};
  return FindUnique(columns, hashes);
}

std::vector<FoundGroup> FindGroups(std::span<const GroupCandidate> candidates, size_t num_rows) {
  std::map<int, std::vector<uint32_t>> declared;
  for (uint32_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].declared_group >= 0) declared[candidates[i].declared_group].push_back(i);
  }
  std::vector<FoundGroup> groups;
  for (auto& [number, members] : declared) {
    groups.push_back(DescribeDeclared(candidates, std::move(members), number, num_rows));
  }
  if (num_rows == 0) return groups;

  GroupSearch search = Describe(candidates, num_rows);
  std::vector<FoundGroup> found = FindOwnerGroups(&search);
  for (FoundGroup& group : FindRunGroups(search)) found.push_back(std::move(group));
  std::sort(found.begin(), found.end(), [](const FoundGroup& a, const FoundGroup& b) {
    return a.members.front() < b.members.front();
  });
  for (FoundGroup& group : found) groups.push_back(std::move(group));
  return groups;
}

}  // namespace dsi::internal
