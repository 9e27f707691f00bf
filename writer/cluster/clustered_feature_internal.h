// One feature's rows seen in file order: which stored entry each position has. Values are never
// moved; they are gathered when encoded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/unique_rows_internal.h"
#include "dsi/writer/cluster/row_sample_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {

// A feature's rows in a stripe, as dedup sees them, with the arrays that those need. Scalars that
// every row has need none of their own: most features are such. The spans of FeatureRows point into
// the other members, into the ClusteredFeature and into the source. To be moved, not copied.
struct FeatureSlice : FeatureRows {
  uint32_t num_rows = 0;
  std::vector<uint32_t> codes;          // Spec D-010.
  std::vector<uint64_t> first_entries;  // Of each row.
};

// Built once per feature; slices of it serve stripe after stripe. Thread safety: const calls from
// many threads.
class ClusteredFeature {
 public:
  // position_of[input row] is the inverse of order.input_row. All must outlive this.
  ClusteredFeature(const FeatureSource& source, const RowOrder& order,
                   std::span<const uint32_t> position_of);

  FeatureSlice MakeRows(uint32_t first, uint32_t num_rows) const;
  // The rows of a sample, one range after another; spans point into the sample as well.
  FeatureSlice MakeRows(const RowSample& sample) const;

  const FeatureSource& source() const { return source_; }
  // Rows present at these positions.
  size_t CountPresent(std::span<const RowInterval> ranges) const;
  // Entries of a column in these rows.
  uint64_t CountEntries(const RowInterval& range) const;

 private:
  // The rows of `ranges`; `entries` are their RowOrder::input_entry.
  FeatureSlice MakeRows(std::span<const RowInterval> ranges,
                        std::span<const uint64_t> entries) const;
  // Fills the rows of a slice from `at` on.
  void FillRows(const RowInterval& range, uint32_t at, FeatureSlice* slice) const;

  FeatureSource source_;
  const RowOrder& order_;
  std::vector<uint32_t>
      positions_;  // Features not present everywhere: positions that have it, ascending …
  std::vector<uint32_t> entries_;  // … and the stored row each one is.
  std::vector<uint64_t> starts_;   // Features with lengths: first entry of each stored row.
};

}  // namespace dsi::internal
