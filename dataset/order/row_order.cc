// Units of equal size are found by arithmetic (spec DO-006); others are listed by UnitPlaces
// (DO-007).
#include "dsi/dataset/order/row_order_internal.h"

#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/order/unit_places_internal.h"

namespace dsi::internal {
namespace {

// DO-008.
Result<uint64_t> WindowRows(const OrderOptions& options, uint32_t batch_size) {
  const uint64_t batches = (uint64_t{options.mixing_rows} + batch_size - 1) / batch_size;
  const uint64_t rows = batches * batch_size;
  if (rows > kMaxWindowRows) {
    return InvalidArgument(
        "mixing_rows {}: a window of whole batches has {} rows, at most 2^31 "
        "are allowed",
        options.mixing_rows, rows);
  }
  return rows;
}

}  // namespace

DatasetOrder::DatasetOrder() = default;
DatasetOrder::~DatasetOrder() = default;
DatasetOrder::DatasetOrder(DatasetOrder&&) noexcept = default;
DatasetOrder& DatasetOrder::operator=(DatasetOrder&&) noexcept = default;

Result<DatasetOrder> DatasetOrder::Make(const OrderOptions& options, uint32_t batch_size,
                                        uint64_t snapshot, std::span<const uint64_t> unit_ends,
                                        std::span<const RowSpan> rows) {
  if (batch_size == 0) return InvalidArgument("batch_size 0: expected at least 1");
  DatasetOrder order;
  order.unit_ = options.unit;
  order.batch_size_ = batch_size;
  DSI_ASSIGN_OR_RETURN(order.window_rows_, WindowRows(options, batch_size));
  DSI_ASSIGN_OR_RETURN(order.rows_, SelectedRows::Make(rows));
  if (options.unit == OrderUnit::kFile || options.unit == OrderUnit::kStripe) {
    const uint64_t end = rows.empty() ? 0 : rows.back().end;
    const uint64_t last = unit_ends.empty() ? 0 : unit_ends.back();
    if (end > last) {
      return InvalidArgument("rows up to {}: the last unit ends at row {}", end, last);
    }
    order.units_ = std::make_unique<UnitPlaces>(unit_ends, options, snapshot);
  }
  if (options.unit == OrderUnit::kBlock) {
    if (options.block_rows == 0) return InvalidArgument("block_rows 0: expected at least 1");
    order.block_rows_ = options.block_rows;
    const uint64_t num_blocks = (order.num_rows() + options.block_rows - 1) / options.block_rows;
    order.blocks_ =
        KeyedBijection(OrderKey(OrderPurpose::kUnits, options, snapshot, 0), num_blocks);
    if (num_blocks > 0) {
      order.short_slot_ = order.blocks_.Inverse(num_blocks - 1);
      order.short_rows_ = order.num_rows() - (num_blocks - 1) * order.block_rows_;
    }
  }
  return order;
}

RowSpan DatasetOrder::LoadOf(uint64_t batch) const {
  uint64_t begin = batch * batch_size_;
  if (window_rows_ != 0) begin -= begin % window_rows_;
  const uint64_t size = window_rows_ != 0 ? window_rows_ : batch_size_;
  return {begin, std::min(begin + size, num_rows())};
}

void DatasetOrder::FindAscending(RowSpan positions, std::vector<RowSpan>* out) const {
  Find(positions.begin, positions.end, out);
  std::sort(out->begin(), out->end(),
            [](const RowSpan& a, const RowSpan& b) { return a.begin < b.begin; });
}

void DatasetOrder::Find(uint64_t begin, uint64_t end, std::vector<RowSpan>* out) const {
  out->clear();
  if (begin >= end) return;
  if (unit_ == OrderUnit::kNone) {
    rows_.Append(begin, end, out);
  } else if (unit_ == OrderUnit::kBlock) {
    FindInBlocks(begin, end, out);
  } else {
    units_->Find(rows_, begin, end, out);
  }
}

void DatasetOrder::FindInBlocks(uint64_t begin, uint64_t end, std::vector<RowSpan>* out) const {
  // How many rows the short block lacks: slots behind it begin so much earlier.
  const uint64_t lacking = block_rows_ - short_rows_;
  const uint64_t short_end = short_slot_ * block_rows_ + short_rows_;
  uint64_t slot = begin < short_end ? begin / block_rows_ : (begin + lacking) / block_rows_;
  for (; begin < end; ++slot) {
    const uint64_t slot_begin = slot * block_rows_ - (slot > short_slot_ ? lacking : 0);
    const uint64_t slot_rows = slot == short_slot_ ? short_rows_ : block_rows_;
    const uint64_t stop = std::min(end, slot_begin + slot_rows);
    const uint64_t unit_begin = blocks_.At(slot) * block_rows_;
    rows_.Append(unit_begin + (begin - slot_begin), unit_begin + (stop - slot_begin), out);
    begin = stop;
  }
}

}  // namespace dsi::internal
