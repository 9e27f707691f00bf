#include "dsi/dedup/find_parents_internal.h"

#include <algorithm>
#include <vector>

#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {
namespace {

class ParentSearch {
 public:
  ParentSearch(const GroupSearch& search, std::span<const GroupCandidate> candidates,
               std::span<FoundGroup> groups)
      : search_(search),
        candidates_(candidates),
        num_rows_(search.num_rows),
        groups_(groups),
        changes_of_(candidates.size(), nullptr),
        unique_(groups.size()) {
    // A parent must save a quarter of the codes, or the detour is not worth it.
    fewest_.assign(groups.size(), static_cast<uint32_t>(num_rows_ / 4 * 3));
    for (const SearchedFeature& feature : search.features)
      changes_of_[feature.candidate] = &search.patterns[feature.pattern];
  }

  void AmongRuns(size_t g, std::span<const ChangeBits> run_changes, size_t first_run_group) {
    ChangeBits changes(num_rows_);
    std::vector<uint8_t> same(num_rows_);
    for (const uint32_t member : groups_[g].members) {
      if (changes_of_[member] != nullptr) {
        changes.Add(*changes_of_[member]);
        continue;
      }
      MarkRepeats(*candidates_[member].column, num_rows_, same);
      changes.Add(ChangeBits::FromRepeats(same));
    }
    uint32_t fewest = std::min(fewest_[g] + 1, changes.Count() * 3);
    for (size_t r = 0; r < run_changes.size(); ++r) {
      const uint32_t count = run_changes[r].Count();
      if (count >= fewest) continue;
      // A row that is not as its session is makes a change or two.
      const uint64_t exceptions = run_changes[r].CountWith(changes) - count;
      if (exceptions * kFewestRowsPerException > num_rows_) continue;
      fewest = fewest_[g] = count;
      groups_[g].parent = static_cast<int>(first_run_group + r);
    }
  }

  // A parent has more unique rows than the group, so that none is its own ancestor.
  void AmongOthers(size_t g, std::span<const size_t> anywhere) {
    for (const size_t p : anywhere) {
      const size_t num_owners = UniqueOf(p).first_row.size();
      if (p == g || num_owners >= fewest_[g] || num_owners <= UniqueOf(g).first_row.size())
        continue;
      if (!Tells(UniqueOf(p), UniqueOf(g))) continue;
      fewest_[g] = static_cast<uint32_t>(num_owners);
      groups_[g].parent = static_cast<int>(p);
    }
  }

 private:
  const UniqueRows& UniqueOf(size_t g) {
    UniqueRows& unique = unique_[g];
    if (unique.first_row.empty()) unique = search_.hashes.Number(groups_[g].members);
    return unique;
  }

  // Every unique row of the parent is one of the child, but for few rows.
  static bool Tells(const UniqueRows& parent, const UniqueRows& child) {
    const size_t num_rows = parent.inverse.size();
    const size_t most = num_rows / kFewestRowsPerException;
    const std::vector<uint32_t> usual = UsualCodes(
        child.inverse, parent.inverse, static_cast<uint32_t>(parent.first_row.size()), most);
    if (usual.empty()) return false;
    size_t exceptions = 0;
    for (size_t row = 0; row < num_rows; ++row)
      exceptions += child.inverse[row] != usual[parent.inverse[row]] ? 1 : 0;
    return exceptions <= most;
  }

  const GroupSearch& search_;
  std::span<const GroupCandidate> candidates_;
  size_t num_rows_;
  std::span<FoundGroup> groups_;
  std::vector<const ChangeBits*> changes_of_;  // Of candidates that were searched.
  std::vector<UniqueRows> unique_;
  std::vector<uint32_t> fewest_;  // Codes that a parent may have, or has.
};

}  // namespace

std::vector<uint32_t> UsualCodes(std::span<const uint32_t> inverse,
                                 std::span<const uint32_t> owners, uint32_t num_owners,
                                 size_t most_exceptions) {
  // Boyer and Moore's majority vote: who is left with votes has the majority, if anyone has. A vote
  // that is lost is a pair of rows of which one must be an exception, and no row is in two pairs.
  std::vector<uint32_t> usual(num_owners, 0);
  std::vector<uint32_t> votes(num_owners, 0);
  size_t lost = 0;
  for (size_t row = 0; row < inverse.size(); ++row) {
    const uint32_t owner = owners[row];
    if (votes[owner] == 0) usual[owner] = inverse[row];
    if (usual[owner] == inverse[row]) {
      ++votes[owner];
    } else {
      --votes[owner];
      if (++lost > most_exceptions) return {};
    }
  }
  return usual;
}

void FindParents(const GroupSearch& search, std::span<const GroupCandidate> candidates,
                 std::span<const ChangeBits> run_changes, size_t first_run_group,
                 std::span<FoundGroup> groups) {
  ParentSearch parents(search, candidates, groups);
  std::vector<size_t> open;
  std::vector<size_t> anywhere;
  for (size_t g = 0; g < first_run_group; ++g) {
    if (groups[g].repeats != GroupRepeats::kAnywhere) continue;
    anywhere.push_back(g);
    if (groups[g].parent < 0) open.push_back(g);
  }
  for (const size_t g : open) {
    parents.AmongRuns(g, run_changes, first_run_group);
    parents.AmongOthers(g, anywhere);
  }
}

}  // namespace dsi::internal
