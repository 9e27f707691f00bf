// Lists as windows into a pool (spec D-013): a list that shifts, grows, shrinks or comes back is
// not stored again.
//
// FindWindows looks at unique rows in their order. Each is held against the content of the chain it
// may continue, at offsets that the row before suggests and at those where a hash of a few entries
// was met; a comparison of all entries decides. A chain grows at either end; nothing is assumed
// about owners or directions. Thread safety: functions are pure; deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {

// The windows of one feature over the unique rows of a stripe.
struct Windows {
  std::vector<uint32_t> codes;               // Per unique row, as D-013 has them.
  std::vector<std::vector<std::byte>> pool;  // Per column: its values.
  uint64_t num_values = 0;                   // Entries of the pool.
  uint64_t num_entries = 0;                  // Entries of all lists.
};

// Lays out the lists of rows stored_rows[0], stored_rows[1], … (all rows 0 … num_rows - 1 when
// empty) of a column with lengths. Gives up early, with an empty result, where hardly any entries
// are shared. Cost: a few comparisons of a list per row and a hash per pool entry; memory about 40
// bytes per pool entry.
Windows FindWindows(const FeatureRows& column, std::span<const uint32_t> stored_rows,
                    size_t num_rows);

// How many entries of row `row` are no overlap with row `before`, by the same means: a sample of
// what FindWindows would find.
size_t CountNewEntries(const FeatureRows& column, size_t before, size_t row);

}  // namespace dsi::internal
