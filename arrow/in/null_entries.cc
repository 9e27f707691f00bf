#include "dsi/arrow/in/null_entries_internal.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace dsi::internal {
namespace {

// What stands for a null, in the first bytes.
uint64_t StandIn(const ColumnSpec& column, bool texts) {
  if (column.type == Type::kFloat32)
    return std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN());
  if (column.type == Type::kFloat64)
    return std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
  return texts && column.hashed ? IdOfText("", column.type) : 0;
}

}  // namespace

void DropNulls(ListRows* lists, ArrowScratch* scratch) {
  const bool all_null = lists->items.field->form == ArrowForm::kNull;
  const SlotBits bits = lists->items.validity();
  if (!all_null && bits.bits == nullptr) return;
  const EntryRows rows = lists->rows;
  const Positions at = lists->at;
  auto* offsets = scratch->Take<int64_t>(rows.num_rows + 1);
  auto* slots = scratch->Take<int64_t>(all_null ? 0 : at.count);
  std::fill_n(offsets, rows.num_rows + 1, int64_t{0});
  int64_t count = 0;
  size_t next = 0;  // The first row whose begin is not known.
  rows.ForEachRow([&](size_t row, size_t begin, size_t end) {
    while (next <= row) offsets[next++] = count;
    for (size_t entry = begin; entry < end && !all_null; ++entry) {
      if (bits.IsSet(at.At(entry))) slots[count++] = static_cast<int64_t>(at.At(entry));
    }
  });
  while (next <= rows.num_rows) offsets[next++] = count;
  lists->rows.offsets32 = nullptr;
  lists->rows.offsets64 = offsets;
  lists->at = {0, static_cast<size_t>(count), slots};
}

void NullFill::Add(const SlotBits& bits, Positions* at) {
  if (bits.bits == nullptr && nulls_ == nullptr) return;
  if (nulls_ == nullptr) {
    nulls_ = scratch_->Take<uint8_t>(count_);
    std::fill_n(nulls_, count_, uint8_t{0});
  }
  auto* slots = scratch_->Take<int64_t>(count_);
  for (size_t i = 0; i < count_; ++i) {
    const int64_t slot = at->slots != nullptr ? at->slots[i] : static_cast<int64_t>(at->begin + i);
    if (slot >= 0 && bits.bits != nullptr && !bits.IsSet(static_cast<size_t>(slot))) nulls_[i] = 1;
    slots[i] = nulls_[i] != 0 ? -1 : slot;
  }
  *at = {0, count_, slots};
}

void NullFill::AddAll() {
  nulls_ = scratch_->Take<uint8_t>(count_);
  std::fill_n(nulls_, count_, uint8_t{1});
}

const std::byte* NullFill::Fill(const std::byte* values, const ColumnSpec& column,
                                bool texts) const {
  if (nulls_ == nullptr || count_ == 0) return values;
  const auto width = static_cast<size_t>(TypeWidth(column.type));
  const uint64_t stand_in = StandIn(column, texts);
  auto* filled = scratch_->Take<std::byte>(count_ * width);
  std::memcpy(filled, values, count_ * width);
  for (size_t i = 0; i < count_; ++i) {
    if (nulls_[i] != 0) std::memcpy(filled + i * width, &stand_in, width);
  }
  return filled;
}

}  // namespace dsi::internal
