// What the writer's stages work on: the features of the file with their rows in memory, and the
// order the rows take in the file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/format/limits.h"
#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

// A feature and its rows in input order. Borrowed.
struct FeatureSource {
  const FeatureSpec* spec = nullptr;
  const RowBatch::FeatureBuffer* rows = nullptr;

  bool has_lengths() const { return HasLengths(spec->kind, spec->columns[0].type); }
  // Entries of a row that is present: 0 when each row has its own length.
  uint32_t entries_per_row() const {
    if (has_lengths()) return 0;
    return spec->kind == Kind::kEmbedding ? spec->fixed_length : 1;
  }
};

// The order of rows in the file and where sessions start.
struct RowOrder {
  std::vector<uint32_t> input_row;    // [num_rows]: row of the input at each position of the file.
  std::vector<uint64_t> input_entry;  // The same, as the entries of scalars that every row has.
  std::vector<uint32_t>
      session_starts;               // Positions, ascending; empty when there are no session keys.
  std::vector<uint32_t> time_rank;  // Per position: its place by time, then input position.
};

// Positions in the order of their ranks.
std::vector<uint32_t> RowsInTime(std::span<const uint32_t> time_rank);

}  // namespace dsi::internal
