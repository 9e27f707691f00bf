// What the writer's stages work on: the features of the file with their rows in memory.
#pragma once

#include <cstdint>
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
};

}  // namespace dsi::internal
