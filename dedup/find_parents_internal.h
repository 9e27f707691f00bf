// Which groups may say their rows through another group's: a code for each unique row of that one
// takes the place of a code for each row (spec D-001, via parent).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/dedup/find_groups_internal.h"
#include "dsi/dedup/key_index_internal.h"

namespace dsi::internal {

// Gives groups that repeat anywhere the parent with the fewest codes, where that saves enough: one
// that repeats in runs (where the user of a session comes back), or one with more unique rows that
// repeats anywhere as well (the category of an item). groups[first_run_group + i] repeats in runs,
// which `run_changes[i]` begin. Parents that groups have stay. Cost: a hash and a look-up for each
// row and group, one more for each pair of groups.
void FindParents(std::span<const GroupCandidate> candidates, size_t num_rows,
                 std::span<const ChangeBits> run_changes, size_t first_run_group,
                 std::span<FoundGroup> groups);

}  // namespace dsi::internal
