// The parts of FindGroups: what is known of a feature, and one function per kind of group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/change_bits_internal.h"
#include "dsi/dedup/find_groups_internal.h"

namespace dsi::internal {

// A candidate that is not declared and large enough to matter.
struct SearchedFeature {
  uint32_t candidate = 0;
  const RowColumn* column = nullptr;
  double bits = 0;          // Of a row, on average over present and missing ones.
  double bits_present = 0;  // Of a present row; a missing one costs next to nothing.
  double bits_in_runs = 0;  // Of all rows that differ from the row before.
  bool is_key = false;
  uint32_t num_runs = 0;  // Rows that differ from the row before.
  uint32_t pattern = 0;   // Ordinal of its run pattern in GroupSearch::patterns.
  bool taken = false;     // Already in a group.
};

struct GroupSearch {
  size_t num_rows = 0;
  std::vector<SearchedFeature> features;
  std::vector<ChangeBits> patterns;  // Distinct run patterns.
};

// Groups the features that repeat far apart, by keys and by their own values; marks them taken.
std::vector<FoundGroup> FindOwnerGroups(GroupSearch* search);

// Groups the features that repeat in runs and are not taken.
std::vector<FoundGroup> FindRunGroups(const GroupSearch& search);

// The inverse index of one column over all rows of the stripe.
UniqueRows FindUniqueOf(const RowColumn& column, size_t num_rows);

}  // namespace dsi::internal
