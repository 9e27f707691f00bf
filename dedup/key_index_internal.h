// A key's values over the rows of a stripe, and how often a feature changes between two rows of
// the same value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dsi/dedup/change_bits_internal.h"
#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {

class KeyIndex {
 public:
  KeyIndex(const RowColumn& key, size_t num_rows);

  // Rows that differ in the key from the row of the same value before: the first of each value.
  const ChangeBits& first_rows() const { return first_rows_; }
  uint32_t num_values() const { return num_values_; }

  // The share of rows, among those with a row of the same value before them, in which the feature
  // is present and differs from it. From a sample; given up early, with a value above `limit`, when
  // the first rows say that it will be far above. 0 when nothing repeats.
  double SampleChanges(const RowColumn& feature, double limit) const;

  // The rows in which the feature differs from the row of the same value before; nothing when there
  // are more than `max_changes`.
  std::optional<ChangeBits> FindChanges(const RowColumn& feature, uint32_t max_changes) const;

  // How many of the first rows of all values, and of the rows that change, have the feature.
  uint32_t CountPresent(const RowColumn& feature, const ChangeBits& changes) const;

  // A number per row, equal where the key is equal and no change (of `changes`) lies between.
  std::vector<uint32_t> Versions(const ChangeBits& changes) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<uint32_t> previous_;      // Per row: the row of the same value before, or kNone.
  std::vector<uint32_t> sampled_rows_;  // Rows that have a previous one, spread and shuffled.
  ChangeBits first_rows_;
  uint32_t num_values_ = 0;
};

}  // namespace dsi::internal
