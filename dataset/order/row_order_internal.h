// Positions of the order to rows, windows to mixed rows.
//
// Thread safety: const calls from many threads are safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/order.h"

namespace dsi::internal {

// Rows [begin, end) of a dataset, counted over all its files.
struct RowSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

class RowOrder {
 public:
  // `unit_ends`: for kFile and kStripe the rows up to the end of each unit, ascending; else empty;
  // it must outlive the order. `rows`: those that are ordered, ascending and apart (never empty).
  // The snapshot makes datasets of other content come in other orders.
  static Result<RowOrder> Make(const OrderOptions& options, uint32_t batch_size, uint64_t snapshot,
                               std::span<const uint64_t> unit_ends, std::span<const RowSpan> rows);
  uint64_t num_rows() const;     // Of all positions.
  uint64_t window_rows() const;  // Whole batches; 0: no mixing.
  // The rows at positions [begin, end), in their order; those that follow each other are one span.
  void Find(uint64_t begin, uint64_t end, std::vector<RowSpan>* out) const;
};

// Deals out a window: order[i] is which row of the window (by position) comes as the i-th.
// `starts`: where sessions begin in the window, ascending, the first 0; kRows does not look at
// them.
void MixWindow(const OrderOptions& options, uint64_t snapshot, uint64_t window,
               std::span<const uint32_t> starts, uint32_t num_rows, std::vector<uint32_t>* order);

}  // namespace dsi::internal
