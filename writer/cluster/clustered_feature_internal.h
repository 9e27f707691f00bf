// One feature's rows in file order, and slices of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/unique_rows_internal.h"
#include "dsi/writer/cluster/row_sample_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {

// A feature's rows in a stripe, as dedup sees them, with the arrays that those need: features that
// every row has need none of their own. The spans of FeatureRows point into the other members, into
// the ClusteredFeature and into the source. To be moved, not copied.
struct FeatureSlice : FeatureRows {
  uint32_t num_rows = 0;
  bool in_a_row = false;                // Values of all rows lie one row after another.
  std::vector<uint32_t> codes;          // Spec D-010.
  std::vector<uint64_t> first_entries;  // Of each row.
};

// Built once per feature; slices of it serve stripe after stripe. Thread safety: const calls from
// many threads.
class ClusteredFeature {
 public:
  // Its rows are those of the file, by position. `source` must outlive this.
  explicit ClusteredFeature(const FeatureSource& source);

  FeatureSlice MakeRows(uint32_t first, uint32_t num_rows) const;
  // The rows of a sample, one range after another; spans point into the sample as well.
  FeatureSlice MakeRows(const RowSample& sample) const;

  const FeatureSource& source() const { return source_; }
  // Rows present at these positions.
  size_t CountPresent(std::span<const RowInterval> ranges) const;
  // Entries of a column in these rows.
  uint64_t CountEntries(const RowInterval& range) const;

 private:
  // Places in the source's list of rows: those at these positions.
  struct Places {
    size_t begin = 0;
    size_t end = 0;
  };
  Places PlacesOf(const RowInterval& range) const;
  FeatureSlice EmptySlice(uint32_t num_rows) const;
  // Fills the rows of a slice from `at` on.
  void FillRows(const RowInterval& range, uint32_t at, FeatureSlice* slice) const;

  FeatureSource source_;
  // Of features with lengths, for each stored row.
  std::vector<uint32_t> codes_;
  std::vector<uint64_t> starts_;
};

}  // namespace dsi::internal
