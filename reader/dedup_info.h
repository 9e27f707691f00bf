// What deduplication made of each feature of a file, told from indexes and shapes alone: no value
// is read. Rows here are rows of the file, unique rows those that are stored (spec D-001 … D-005).
#pragma once

#include <cstdint>
#include <string>

#include "dsi/format/types.h"

namespace dsi {

// One feature, over all stripes. Entries are those of one of its columns: a list of three items is
// three entries, whatever else stands beside the items. Scalars have one, embeddings their length.
struct FeatureDedup {
  std::string feature;
  Kind kind = Kind::kDense;
  uint32_t group = 0;        // Ordinal of its dedup group.
  uint32_t num_columns = 0;  // Values are entries times columns.
  uint64_t rows_present = 0;
  uint64_t row_entries = 0;     // Of all rows, as if nothing were deduplicated.
  uint64_t unique_entries = 0;  // Of the unique rows. row_entries / unique_entries is the dedupe
                                // factor, weighted by length.
  uint64_t pool_entries = 0;    // That are stored: fewer than unique_entries where windows overlap.
  uint64_t windowed_entries = 0;  // Part of unique_entries: in stripes where lists are windows.
  uint32_t windowed_stripes = 0;
  uint64_t windows_bytes = 0;  // Of the streams of windows.
};

}  // namespace dsi
