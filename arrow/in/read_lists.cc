#include "dsi/arrow/in/read_lists_internal.h"

#include <algorithm>
#include <numeric>

#include "dsi/arrow/in/read_offsets_internal.h"

namespace dsi::internal {
namespace {

// The items of a fixed-size list, all of the view's.
Result<ArrowView> FixedItems(const ArrowView& view, const ColumnPlace& place) {
  const auto width = static_cast<size_t>(view.field->width);
  const size_t most = static_cast<size_t>(kMaxArrowSlots) / width;
  if (view.start > most || view.count > most) {
    return place.Fault("{} lists of {} items", view.start + view.count, width);
  }
  return ViewOf(view.field->children[0], view.child(0), view.start * width, view.count * width,
                place);
}

template <typename Offset>
Result<ListRows> InPlace(const ArrowView& view, const ColumnPlace& place, ArrowScratch* scratch) {
  DSI_ASSIGN_OR_RETURN(const CheckedOffsets<Offset> checked,
                       ReadOffsets<Offset>(view, place, scratch));
  ListRows lists;
  if constexpr (sizeof(Offset) == 4) {
    lists.rows.offsets32 = checked.offsets;
  } else {
    lists.rows.offsets64 = checked.offsets;
  }
  const auto count = static_cast<size_t>(checked.offsets[view.count]);
  DSI_ASSIGN_OR_RETURN(lists.items,
                       ViewOf(view.field->children[0], view.child(0), checked.first, count, place));
  lists.at = {0, count, nullptr};
  return lists;
}

Result<ListRows> FixedInPlace(const ArrowView& view, const ColumnPlace& place,
                              ArrowScratch* scratch) {
  ListRows lists;
  DSI_ASSIGN_OR_RETURN(lists.items, FixedItems(view, place));
  auto* offsets = scratch->Take<int64_t>(view.count + 1);
  for (size_t i = 0; i <= view.count; ++i) offsets[i] = static_cast<int64_t>(i) * view.field->width;
  lists.rows.offsets64 = offsets;
  lists.at = {0, view.count * static_cast<size_t>(view.field->width), nullptr};
  return lists;
}

// A range before the first item, where offset or size are none.
template <typename Offset>
SlotRange RangeOfView(const ArrowView& view, size_t slot) {
  const size_t at = (view.start + slot) * sizeof(Offset);
  const int64_t begin = LoadLE<Offset>(view.buffer(1) + at);
  const int64_t size = LoadLE<Offset>(view.buffer(2) + at);
  if (begin < 0 || size < 0 || size > INT64_MAX - begin) return {-1, -1};
  return {begin, begin + size};
}

SlotRange RangeOf(const ArrowView& view, size_t slot) {
  if (view.field->form == ArrowForm::kListView32) return RangeOfView<int32_t>(view, slot);
  if (view.field->form == ArrowForm::kListView64) return RangeOfView<int64_t>(view, slot);
  if (view.field->form == ArrowForm::kList32) return RangeOfSlot<int32_t>(view, slot);
  if (view.field->form == ArrowForm::kList64) return RangeOfSlot<int64_t>(view, slot);
  const auto begin = static_cast<int64_t>(slot) * view.field->width;
  return {begin, begin + view.field->width};
}

// Fills in slots and offsets from ranges by row. They are below 2^63 in all: fewer than 2^32 rows
// of fewer than 2^31 entries.
template <typename RangeOfRow>
void PickRanges(const RangeOfRow& range_of_row, ListRows* lists, ArrowScratch* scratch) {
  const size_t num_rows = lists->rows.num_rows;
  auto* offsets = scratch->Take<int64_t>(num_rows + 1);
  std::fill_n(offsets, num_rows + 1, int64_t{0});
  lists->rows.ForEachRow([&](size_t row, size_t, size_t) {
    const SlotRange range = range_of_row(row);
    offsets[row + 1] = range.end - range.begin;
  });
  std::partial_sum(offsets, offsets + num_rows + 1, offsets);
  const auto count = static_cast<size_t>(offsets[num_rows]);
  auto* slots = scratch->Take<int64_t>(count);
  lists->rows.ForEachRow([&](size_t row, size_t, size_t) {
    const SlotRange range = range_of_row(row);
    std::iota(slots + offsets[row], slots + offsets[row + 1], range.begin);
  });
  lists->rows.offsets32 = nullptr;
  lists->rows.offsets64 = offsets;
  lists->at = {0, count, slots};
}

// Rows whose lists stand anywhere.
Result<ListRows> Picked(const ArrowView& view, const Positions& at, const SlotBits& valid,
                        size_t num_rows, const ColumnPlace& place, ArrowScratch* scratch) {
  ListRows lists;
  lists.rows.num_rows = num_rows;
  lists.rows.valid = valid;
  if (view.field->form == ArrowForm::kFixedList) {
    DSI_ASSIGN_OR_RETURN(lists.items, FixedItems(view, place));
  } else {
    DSI_ASSIGN_OR_RETURN(lists.items, WholeView(view.field->children[0], view.child(0), place));
  }
  const auto num_items = static_cast<int64_t>(lists.items.count);
  const auto range_of_row = [&](size_t row) {
    return RangeOf(view, static_cast<size_t>(at.slots[row]));
  };
  Status status;
  lists.rows.ForEachRow([&](size_t row, size_t, size_t) {
    const SlotRange range = range_of_row(row);
    if (!status.ok()) return;
    if (range.begin < 0 || range.end < range.begin || range.end > num_items) {
      status = place.RowFault(StatusCode::kBadInput, row,
                              "a list from {} to {} of {} items, expected one inside of them",
                              range.begin, range.end, num_items);
    } else if (range.end - range.begin > int64_t{kMaxListLength}) {
      status = place.RowFault(StatusCode::kOutOfRange, row, "found {} entries, expected at most {}",
                              range.end - range.begin, kMaxListLength);
    }
  });
  DSI_RETURN_IF_ERROR(status);
  PickRanges(range_of_row, &lists, scratch);
  return lists;
}

}  // namespace

Result<ListRows> ReadLists(const ArrowView& view, const Positions& at, const SlotBits& valid,
                           size_t num_rows, const ColumnPlace& place, ArrowScratch* scratch) {
  if (at.slots != nullptr) return Picked(view, at, valid, num_rows, place, scratch);
  if (IsArrowListView(view.field->form)) {
    auto* slots = scratch->Take<int64_t>(num_rows);
    std::iota(slots, slots + num_rows, static_cast<int64_t>(at.begin));
    return Picked(view, {0, num_rows, slots}, valid, num_rows, place, scratch);
  }
  ListRows lists;
  if (view.field->form == ArrowForm::kList32) {
    DSI_ASSIGN_OR_RETURN(lists, InPlace<int32_t>(view, place, scratch));
  } else if (view.field->form == ArrowForm::kList64) {
    DSI_ASSIGN_OR_RETURN(lists, InPlace<int64_t>(view, place, scratch));
  } else {
    DSI_ASSIGN_OR_RETURN(lists, FixedInPlace(view, place, scratch));
  }
  lists.rows.num_rows = num_rows;
  lists.rows.valid = valid;
  return lists;
}

void Compact(ListRows* lists, ArrowScratch* scratch) {
  if (lists->at.slots != nullptr) return;  // Picked by row already.
  const EntryRows rows = lists->rows;
  const auto range_of_row = [&](size_t row) {
    return SlotRange{static_cast<int64_t>(rows.Begin(row)),
                     static_cast<int64_t>(rows.Begin(row + 1))};
  };
  PickRanges(range_of_row, lists, scratch);
}

Status Fix(size_t length, const ColumnPlace& place, ListRows* lists, ArrowScratch* scratch) {
  EntryRows& rows = lists->rows;
  Status status;
  rows.ForEachRow([&](size_t row, size_t begin, size_t end) {
    if (end - begin == length || !status.ok()) return;
    status = place.RowFault(StatusCode::kBadInput, row, "found {} numbers, expected {}",
                            end - begin, length);
  });
  DSI_RETURN_IF_ERROR(status);
  bool in_place = lists->at.slots == nullptr && lists->at.count == rows.num_rows * length;
  for (size_t row = 0; in_place && row < rows.num_rows; ++row) {
    in_place = rows.Begin(row) == row * length;
  }
  if (!in_place) {
    const size_t count = rows.num_rows * length;  // Below 2^63, as above.
    auto* slots = scratch->Take<int64_t>(count);
    std::fill_n(slots, count, int64_t{-1});
    rows.ForEachRow([&](size_t row, size_t begin, size_t) {
      for (size_t i = 0; i < length; ++i) {
        slots[row * length + i] = lists->at.slots != nullptr ? lists->at.slots[begin + i]
                                                             : static_cast<int64_t>(begin + i);
      }
    });
    lists->at = {0, count, slots};
  }
  rows.offsets32 = nullptr;
  rows.offsets64 = nullptr;
  rows.per_row = length;
  return {};
}

}  // namespace dsi::internal
