// Groups that the schema declares: how their repeats are found, and what moves under their owner.

#include <algorithm>
#include <map>
#include <utility>

#include "dsi/dedup/group_cost_internal.h"
#include "dsi/dedup/group_search_internal.h"
#include "dsi/dedup/key_index_internal.h"

namespace dsi::internal {
namespace {

// Members as declared; how their repeats are found, and the owner unless declared, are open.
FoundGroup DescribeDeclared(std::span<const GroupCandidate> candidates, const RowHashes& hashes,
                            std::vector<uint32_t> members, int declared, size_t num_rows) {
  FoundGroup group;
  group.declared = declared;
  group.members = std::move(members);
  if (num_rows == 0) return group;
  double bits = 0;
  for (const uint32_t member : group.members) bits += candidates[member].bits_per_row;
  const UniqueRows unique = hashes.Number(group.members);
  const double rows = static_cast<double>(num_rows);
  const double num_unique = static_cast<double>(unique.first_row.size());
  double num_runs = 1;
  for (size_t row = 1; row < num_rows; ++row) {
    num_runs += unique.inverse[row] != unique.inverse[row - 1] ? 1 : 0;
  }
  if (num_unique * bits + GeneralIndexBits(rows, num_unique, num_runs) <
      num_runs * bits + RunIndexBits(rows, num_runs)) {
    group.repeats = GroupRepeats::kAnywhere;
  }
  for (const uint32_t member : group.members) {
    if (!candidates[member].is_key) continue;
    // The key owns the group when it has as many values as the group has unique rows.
    if (hashes.Number({&member, 1}).first_row.size() == unique.first_row.size()) {
      group.owner = static_cast<int>(member);
      break;
    }
  }
  return group;
}

// The declared owner, or the member that was found to be it; nothing for one whose values stand in
// runs only, where versions would say what runs say.
int MovingOwner(std::span<const GroupCandidate> candidates, const RowHashes& hashes,
                size_t num_rows, FoundGroup* group) {
  int owner = group->owner;
  for (const uint32_t member : group->members) {
    if (candidates[member].declared_owner >= 0) owner = candidates[member].declared_owner;
  }
  if (owner < 0) return -1;
  const auto key = static_cast<uint32_t>(owner);
  const FeatureRows* keys[] = {candidates[key].column};
  const size_t num_runs = FindRuns(keys, num_rows).first_row.size();
  if (hashes.Number({&key, 1}).first_row.size() < num_runs) return owner;
  // What repeats does so while the owner stays.
  group->owner = owner;
  group->repeats = GroupRepeats::kRuns;
  return -1;
}

// What moves from one row of the owner's to the next goes through versions; where the owner is a
// member itself, in a group beside it.
void SplitMoving(std::span<const GroupCandidate> candidates, const RowHashes& hashes,
                 std::span<const uint32_t> rows_in_time, FoundGroup* group,
                 std::vector<FoundGroup>* moving) {
  const int owner = MovingOwner(candidates, hashes, rows_in_time.size(), group);
  if (owner < 0) return;
  group->owner = owner;
  const auto key = static_cast<uint32_t>(owner);
  const KeyIndex index(hashes.Number({&key, 1}), rows_in_time);
  std::vector<uint32_t> exact;
  std::vector<uint32_t> moves;
  for (const uint32_t member : group->members) {
    const bool changes = index.Changes(*candidates[member].column, hashes.Of(member));
    (changes ? moves : exact).push_back(member);
  }
  if (moves.empty()) return;
  const bool has_owner = std::find(exact.begin(), exact.end(), owner) != exact.end();
  if (!has_owner) {
    group->repeats = GroupRepeats::kVersions;
    return;
  }
  group->members = std::move(exact);
  group->repeats = GroupRepeats::kAnywhere;
  FoundGroup& other = moving->emplace_back();
  other.declared = group->declared;
  other.members = std::move(moves);
  other.repeats = GroupRepeats::kVersions;
  other.owner = owner;
}

}  // namespace

std::vector<FoundGroup> DescribeDeclaredGroups(std::span<const GroupCandidate> candidates,
                                               const RowHashes& hashes,
                                               std::span<const uint32_t> rows_in_time) {
  std::map<int, std::vector<uint32_t>> declared;
  for (uint32_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].declared_group >= 0) declared[candidates[i].declared_group].push_back(i);
  }
  std::vector<FoundGroup> groups;
  std::vector<FoundGroup> moving;
  for (auto& [number, members] : declared) {
    groups.push_back(
        DescribeDeclared(candidates, hashes, std::move(members), number, rows_in_time.size()));
    if (!rows_in_time.empty())
      SplitMoving(candidates, hashes, rows_in_time, &groups.back(), &moving);
  }
  for (FoundGroup& group : moving) groups.push_back(std::move(group));
  return groups;
}

void ResolveOwners(std::span<const GroupCandidate> candidates, std::vector<FoundGroup>* groups) {
  const size_t count = groups->size();
  for (size_t g = 0; g < count; ++g) {
    if ((*groups)[g].repeats != GroupRepeats::kVersions || (*groups)[g].parent >= 0) continue;
    const int owner = (*groups)[g].owner;
    const auto of_owner = [&](const FoundGroup& group) {
      return group.owner == owner && group.repeats == GroupRepeats::kAnywhere;
    };
    auto parent = std::find_if(groups->begin(), groups->end(), of_owner);
    if (parent == groups->end()) {
      const auto key = static_cast<uint32_t>(owner);
      const bool is_member = std::any_of(groups->begin(), groups->end(), [&](const FoundGroup& f) {
        return std::find(f.members.begin(), f.members.end(), key) != f.members.end();
      });
      if (is_member || candidates[key].declared_group >= 0) {
        (*groups)[g].repeats = GroupRepeats::kRuns;  // Its key is bound in a group of others.
        continue;
      }
      FoundGroup own;
      own.members = {key};
      own.repeats = GroupRepeats::kAnywhere;
      own.owner = owner;
      groups->push_back(std::move(own));
      parent = groups->end() - 1;
    }
    (*groups)[g].parent = static_cast<int>(parent - groups->begin());
  }
}

}  // namespace dsi::internal
