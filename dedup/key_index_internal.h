// A key's values over the rows of a stripe, and how a feature moves between two rows of the same
// value that follow each other in time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dsi/dedup/change_bits_internal.h"
#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {

// What of the entries of the second rows is no overlap with the first rows; of numbers, how many
// are no step that was met elsewhere. 1: everything is new.
double NewShare(const FeatureRows& feature, std::span<const std::pair<uint32_t, uint32_t>> changed);

// Entries of the feature in these rows.
uint64_t CountEntries(const FeatureRows& feature, const ChangeBits& rows);

// Hashes of a feature's rows, each made when it is first asked for. Thread safety: one thread.
class HashesAsAsked {
 public:
  HashesAsAsked(const FeatureRows& feature, size_t num_rows)
      : feature_(feature), hashes_(num_rows) {}

  uint64_t Of(uint32_t row) {
    uint64_t& hash = hashes_[row];
    if (hash == 0) hash = HashRow(feature_, row);
    return hash;
  }

 private:
  const FeatureRows& feature_;
  std::vector<uint64_t> hashes_;  // 0: not made, or made again.
};

// All rows, or as many as tell how often features change, spread over them; ascending.
std::vector<uint32_t> RowsToLookAt(size_t num_rows);

class KeyIndex {
 public:
  // `key`: its values. `rows_in_time`: all rows, oldest first. With rows in file order, "before" is
  // before in the file.
  // `looked_at`: RowsToLookAt, for FindChanges and what is asked of it; must outlive this.
  KeyIndex(const UniqueRows& key, std::span<const uint32_t> rows_in_time,
           std::span<const uint32_t> looked_at = {});

  uint32_t num_values() const { return num_values_; }

  // The share of rows, among those with a row of the same value before them, in which the feature
  // is present and differs from it. From a sample; given up early, with a value above `limit`, when
  // the first rows say that it will be far above. 0 when nothing repeats.
  double SampleChanges(const FeatureRows& feature, double limit) const;

  // Of FindChanges: NewShare of rows that change, against those of the same value before. From a
  // sample.
  double NewShareOf(const FeatureRows& feature, const ChangeBits& changes) const;

  // The first rows of values, or a sample of them.
  const std::vector<uint32_t>& FirstRows() const { return first_rows_; }

  // The rows, among those that are looked at, in which the feature differs from the row of the same
  // value before. By their hashes, unless null.
  ChangeBits FindChanges(const FeatureRows& feature, HashesAsAsked* hashes) const;
  // Of FindChanges: about how many rows there are in all, and entries of the feature in them.
  double CountRows(const ChangeBits& changes) const { return scale_ * changes.Count(); }
  double CountEntriesOf(const FeatureRows& feature, const ChangeBits& changes) const;
  // Of FindChanges: so many of the rows, or a few more, spread over all.
  std::vector<uint32_t> SomeRows(const ChangeBits& changes, uint32_t count) const;
  // Whether there are such rows among all. By their hashes, where there are any.
  bool Changes(const FeatureRows& feature, std::span<const uint64_t> hashes) const;

  // The first rows of all values.
  const ChangeBits& Firsts() const { return firsts_; }

 private:
  std::vector<uint32_t> previous_;  // Per row: that of the same value before; the first: itself.
  ChangeBits firsts_;
  std::vector<uint32_t> sampled_rows_;  // Rows that have a previous one, spread and shuffled.
  std::vector<uint32_t> first_rows_;
  std::span<const uint32_t> looked_at_;
  double scale_ = 1;  // Rows for each that is looked at.
  uint32_t num_values_ = 0;
};

}  // namespace dsi::internal
