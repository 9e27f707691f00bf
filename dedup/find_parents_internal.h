// Which groups may say their rows through another group's: a code for each unique row of that one
// takes the place of a code for each row (spec D-001, via parent).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/find_groups_internal.h"
#include "dsi/dedup/group_search_internal.h"

namespace dsi::internal {

// A parent whose rows are so few between exceptions tells nothing (spec D-001).
inline constexpr uint32_t kFewestRowsPerException = 32;

// The unique row that most rows of each owner are, where one is more than half of them; else any of
// the owner's. `owners` gives each row's. Empty, and soon done, where it is found that more than
// `most_exceptions` rows must be another.
std::vector<uint32_t> UsualCodes(std::span<const uint32_t> inverse,
                                 std::span<const uint32_t> owners, uint32_t num_owners,
                                 size_t most_exceptions = SIZE_MAX);

// Gives groups that repeat anywhere the parent with the fewest codes, where that saves enough: one
// that repeats in runs (where the user of a session comes back), or one with more unique rows that
// repeats anywhere as well (the category of an item); few rows may be exceptions.
// groups[first_run_group + i] repeats in runs, which `run_changes[i]` begin. Parents that groups
// have stay. Cost: a hash and a look-up for each row and group, up to two for each pair of groups.
void FindParents(const GroupSearch& search, std::span<const GroupCandidate> candidates,
                 std::span<const ChangeBits> run_changes, size_t first_run_group,
                 std::span<FoundGroup> groups);

}  // namespace dsi::internal
