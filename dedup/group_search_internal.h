// The parts of FindGroups: what is known of a feature, and one function per kind of group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dsi/dedup/change_bits_internal.h"
#include "dsi/dedup/find_groups_internal.h"
#include "dsi/dedup/row_hashes_internal.h"

namespace dsi::internal {

// A candidate that is not declared and large enough to matter.
struct SearchedFeature {
  uint32_t candidate = 0;
  const FeatureRows* column = nullptr;
  double bits = 0;          // Of a row, on average over present and missing ones.
  double bits_present = 0;  // Of a present row; a missing one costs next to nothing.
  double bits_alone = 0;    // The same, of a value that no other row has.
  double bits_of_entry = 0;
  double bits_in_runs = 0;  // Of all rows that differ from the row before.
  double cost_in_runs = 0;  // The same where windows and steps from row to row save bits.
  bool moves = false;       // A list or a number, which may be near another value of it.
  bool is_key = false;
  bool is_text = false;   // Bytes, of which no dictionary is made.
  uint32_t num_runs = 0;  // Rows that differ from the row before.
  uint32_t pattern = 0;   // Ordinal of its run pattern in GroupSearch::patterns.
  bool taken = false;     // Already in a group.
};

struct GroupSearch {
  size_t num_rows = 0;
  RowHashes hashes;
  std::span<const uint32_t> rows_in_time;
  ForEach for_each = OneByOne;
  std::vector<SearchedFeature> features = {};
  std::vector<ChangeBits> patterns = {};  // Distinct run patterns.
};

// Groups as declared, by number; then those of what moves in them (kVersions, parent still open).
std::vector<FoundGroup> DescribeDeclaredGroups(std::span<const GroupCandidate> candidates,
                                               const RowHashes& hashes,
                                               std::span<const uint32_t> rows_in_time);

// Gives the declared groups that still lack one their parent: the group of their owner, made where
// there is none. Owners made here are to be left out of further search.
void ResolveOwners(std::span<const GroupCandidate> candidates, std::vector<FoundGroup>* groups);

// Groups the features that keys own; marks them taken. Parents are positions in the result.
Result<std::vector<FoundGroup>> FindKeyGroups(GroupSearch* search);

// Groups the features that are functions of each other, and repeat far apart; marks them taken.
Result<std::vector<FoundGroup>> FindContentGroups(GroupSearch* search);

// A group that repeats in runs, with the rows where it changes.
struct RunGroup {
  FoundGroup group;
  ChangeBits changes;
};

// Groups the features that repeat in runs and are not taken.
std::vector<RunGroup> FindRunGroups(const GroupSearch& search);

// Keeps the hashes of these features' rows.
Status HashFeatures(std::span<const uint32_t> features, GroupSearch* search);

// The features with the numbers of their values in front, ascending. Keeps their hashes.
Result<std::vector<std::pair<uint32_t, uint32_t>>> ByNumValues(std::span<const uint32_t> features,
                                                               GroupSearch* search);

}  // namespace dsi::internal
