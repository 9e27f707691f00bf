// Rows <-> unique rows: finds equal rows of a set of columns by hash, confirms by comparison, and
// numbers the unique ones.
//
// A FeatureRows is one feature over the rows of a stripe as the writer holds it.
// Thread safety: functions are pure; deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

// One feature's rows in a stripe, in final row order: shape codes as in spec D-010, and entries row
// after row.
struct FeatureRows {
  // [num_rows]: list kinds 0 missing, n+1; scalars 0 missing, 1 present. Empty span: every row is a
  // present scalar (or embedding).
  std::span<const uint32_t> shape;
  // [num_rows]: first entry of the row in every values array (entries, not bytes). Empty span: row
  // index × entries_per_row.
  std::span<const uint64_t> starts;
  struct Values {
    const std::byte* data = nullptr;
    int width = 8;  // 1, 2, 4 or 8 bytes.
  };
  std::vector<Values> values;  // One per column of the feature.
  // Features without lengths: 1, or an embedding's length. 0: the shape code minus 1.
  uint32_t entries_per_row = 0;
};

// hash[i] of row i: equal rows have equal hashes. 64 bits of XXH3 over shape code and entry bytes
// (scalars: a multiply-mix). Missing, empty and zero differ.
void HashRows(const FeatureRows& column, size_t num_rows, std::span<uint64_t> hashes);

// The hash of one row, the same as HashRows gives it.
uint64_t HashRow(const FeatureRows& column, uint32_t row);

// True when rows a and b are equal bit for bit (spec D-004).
bool RowsEqual(const FeatureRows& column, uint32_t a, uint32_t b);

// same_as_previous[i] = 1 when row i equals row i-1 (row 0: 0). Compares bytes; no hash.
void MarkRepeats(const FeatureRows& column, size_t num_rows, std::span<uint8_t> same_as_previous);

// The inverse index of a set of features that form a group.
struct UniqueRows {
  std::vector<uint32_t> first_row;  // Per unique row: the first row that has it; ascending.
  std::vector<uint32_t> inverse;    // Per row: its unique row.
  bool only_runs = false;           // True when equal rows were merged only where adjacent.
};

// Merges adjacent equal rows.
UniqueRows FindRuns(std::span<const FeatureRows* const> columns, size_t num_rows);

// Merges equal rows wherever they stand in the stripe. `hashes` combine the columns' row hashes;
// every candidate is confirmed by RowsEqual on all columns. The number of rows is hashes.size().
// Without columns all rows of equal hash are one unique row.
UniqueRows FindUnique(std::span<const FeatureRows* const> columns,
                      std::span<const uint64_t> hashes);

// Adds one column's hashes into a group's: order-dependent mix.
void CombineHashes(std::span<uint64_t> into, std::span<const uint64_t> column);

// Test hook: cuts row hashes to this many bits (64: off), so that collisions happen.
void SetHashBitsForTest(int bits);

}  // namespace dsi::internal
