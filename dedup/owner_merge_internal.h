// Joins groups found by different keys where one index serves both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/dedup/find_groups_internal.h"

namespace dsi::internal {

// A group of the search by owners, with what its index would be.
struct OwnerGroup {
  FoundGroup group;
  std::vector<uint32_t> inverse;  // Per row: its unique row, numbered by first use.
  uint32_t num_unique = 0;
  double bits = 0;  // Of one unique row of all members.
};

// Greedy: while the union of two groups' partitions is cheaper than both, joins the best pair. Only
// the largest groups are compared, so that the work is bounded. The joint group's owner is the one
// of the finer group if it has no more unique rows than that, else unknown.
void MergeOwnerGroups(size_t num_rows, std::vector<OwnerGroup>* groups);

}  // namespace dsi::internal
