// What is known of a feature in all rows of a file, wherever these are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

struct FeatureTotals {
  uint64_t num_present = 0;
  uint64_t num_entries = 0;     // Of a column.
  uint64_t num_repeated = 0;    // Of these, of lists that are held for a row before.
  uint64_t num_in_session = 0;  // Of these, what sessions repeat, where that is looked at.
  uint32_t longest = 0;         // Of features with lengths.
  uint32_t shortest = UINT32_MAX;
};

struct TableTotals {
  uint64_t num_rows = 0;
  uint64_t size_bytes = 0;      // As RowBatch::size_bytes counts them.
  uint64_t row_bytes = 0;       // The sum of RowBytes, which does not depend on batches.
  uint64_t repeated_bytes = 0;  // Of these, what sessions repeat, where that is looked at.
  std::vector<FeatureTotals> features;

  // Of a batch alone. Cost: linear in features, with lengths in rows.
  static TableTotals Of(const RowBatch& rows, bool with_lengths);
  void Add(const TableTotals& more);
  // Takes away what can be counted back: rows, bytes and entries.
  void Subtract(const TableTotals& less);
};

}  // namespace dsi::internal
