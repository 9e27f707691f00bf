// Positions of the order to rows, windows to mixed rows.
//
// Thread safety: const calls from many threads are safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/order.h"
#include "dsi/dataset/order/keyed_bijection_internal.h"
#include "dsi/dataset/order/selected_rows_internal.h"

namespace dsi::internal {

class UnitPlaces;

inline constexpr uint64_t kMaxWindowRows = 1ULL << 31;  // DO-008: their numbers fit 32 bits.

class DatasetOrder {
 public:
  // `unit_ends`: for kFile and kStripe the rows up to the end of each unit, ascending; else empty;
  // it must outlive the order. `rows`: those that are ordered, ascending and apart.
  // The snapshot makes datasets of other content come in other orders.
  // kInvalidArgument: rows as SelectedRows says or beyond the last unit, no batch_size, blocks of
  // no rows, a window of more than 2^31 rows.
  static Result<DatasetOrder> Make(const OrderOptions& options, uint32_t batch_size,
                                   uint64_t snapshot, std::span<const uint64_t> unit_ends,
                                   std::span<const RowSpan> rows);
  ~DatasetOrder();
  DatasetOrder(DatasetOrder&&) noexcept;
  DatasetOrder& operator=(DatasetOrder&&) noexcept;

  uint64_t num_rows() const { return rows_.size(); }  // Of all positions.
  // Tells selections apart (DO-005).
  uint64_t rows_fingerprint() const { return rows_.Fingerprint(); }
  uint64_t window_rows() const { return window_rows_; }  // Whole batches; 0: no mixing.
  // Positions whose rows are decoded together for a batch: those of its window, else its own.
  RowSpan LoadOf(uint64_t batch) const;
  // The rows at these positions, spans of them ascending.
  void FindAscending(RowSpan positions, std::vector<RowSpan>* out) const;
  // Puts into *out the rows at positions [begin, end), end <= num_rows(), in their order; those
  // that follow each other are one span. Costs by the units and the spans of rows that it touches,
  // but that the first call for kFile and kStripe lists all units (8 bytes each). Throws bad_alloc.
  void Find(uint64_t begin, uint64_t end, std::vector<RowSpan>* out) const;

 private:
  DatasetOrder();
  void FindInBlocks(uint64_t begin, uint64_t end, std::vector<RowSpan>* out) const;

  SelectedRows rows_;
  OrderUnit unit_ = OrderUnit::kNone;
  uint64_t batch_size_ = 0;
  uint64_t window_rows_ = 0;
  // kBlock. The last block is short, if any is; it stands in slot short_slot_.
  uint64_t block_rows_ = 0;
  KeyedBijection blocks_;
  uint64_t short_slot_ = 0;
  uint64_t short_rows_ = 0;
  std::unique_ptr<UnitPlaces> units_;  // kFile, kStripe.
};

// Deals out a window: order[i] is which row of the window (by position) comes as the i-th.
// `starts`: where sessions begin in the window, ascending, the first 0; kRows does not look at
// them. A session that a border of a window or of a unit cuts is two. Throws bad_alloc where *order
// must grow.
void MixWindow(const OrderOptions& options, uint64_t snapshot, uint64_t window,
               std::span<const uint32_t> starts, uint32_t num_rows, std::vector<uint32_t>* order);

}  // namespace dsi::internal
