// What the writer's stages work on: the features of the file with their rows in memory.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "dsi/format/limits.h"
#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"
#include "dsi/writer/rows/feature_totals_internal.h"

namespace dsi::internal {

// A feature and its rows, in the order of input or that of the file, or some of them. Borrowed.
struct FeatureSource {
  const FeatureSpec* spec = nullptr;
  const RowBatch::FeatureBuffer* rows = nullptr;
  const FeatureTotals* totals = nullptr;  // Of all rows; only the layout asks.

  bool has_lengths() const { return HasLengths(spec->kind, spec->columns[0].type); }
  // Entries of a row that is present: 0 when each row has its own length.
  uint32_t entries_per_row() const {
    if (has_lengths()) return 0;
    return spec->kind == Kind::kEmbedding ? spec->fixed_length : 1;
  }
  // Bytes of an entry, all columns together.
  uint64_t entry_bytes() const {
    uint64_t bytes = 0;
    for (const ColumnSpec& column : spec->columns)
      bytes += static_cast<uint64_t>(TypeWidth(column.type));
    return bytes;
  }
};

// Where each list that is stored starts, in entries.
inline std::vector<uint64_t> StartsOf(std::span<const uint32_t> lengths) {
  std::vector<uint64_t> starts(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), uint64_t{0});
  return starts;
}

}  // namespace dsi::internal
