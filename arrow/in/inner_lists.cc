#include "dsi/arrow/in/inner_lists_internal.h"

#include <algorithm>
#include <vector>

#include "dsi/arrow/in/null_entries_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

template <typename T>
const std::byte* Lengths(const EntryRows& rows, ArrowScratch* scratch) {
  auto* lengths = scratch->Take<T>(rows.num_rows);
  for (size_t i = 0; i < rows.num_rows; ++i)
    lengths[i] = static_cast<T>(rows.Begin(i + 1) - rows.Begin(i));
  return reinterpret_cast<const std::byte*>(lengths);
}

}  // namespace

Result<ListRows> ReadInner(const ListRows& outer, std::span<const uint32_t> member,
                           NullEntries null_entries, const ColumnPlace& place,
                           ArrowScratch* scratch) {
  ArrowView view = outer.items;
  std::vector<SlotBits> levels = {view.validity()};
  for (const uint32_t child : member) {
    DSI_ASSIGN_OR_RETURN(view, ChildOf(view, child, place));
    levels.push_back(view.validity());
  }
  const bool are_null = view.field->form == ArrowForm::kNull;
  const auto is_there = [&](size_t slot) {
    return std::all_of(levels.begin(), levels.end(),
                       [slot](const SlotBits& level) { return level.IsSet(slot); });
  };
  const size_t count = outer.at.count;
  auto* slots = scratch->Take<int64_t>(count);
  auto* valid = scratch->Take<uint8_t>((count + 7) / 8);
  std::fill_n(slots, count, int64_t{0});
  std::fill_n(valid, (count + 7) / 8, uint8_t{0});
  Status status;
  outer.rows.ForEachRow([&](size_t row, size_t begin, size_t end) {
    for (size_t i = begin; i < end && status.ok(); ++i) {
      const size_t slot = outer.at.At(i);
      if (!are_null && is_there(slot)) {
        slots[i] = static_cast<int64_t>(slot);
        valid[i / 8] = static_cast<uint8_t>(valid[i / 8] | 1 << (i % 8));
      } else if (null_entries != NullEntries::kFill) {
        status = place.RowFault(StatusCode::kBadInput, row,
                                "null in a list, expected a list (null_entries drops or fills)");
      }
    }
  });
  DSI_RETURN_IF_ERROR(status);
  if (are_null) {
    ListRows none;
    none.rows.num_rows = count;
    none.rows.per_row = 0;
    none.items = view;
    return none;
  }
  DSI_ASSIGN_OR_RETURN(ListRows inner,
                       ReadLists(view, {0, count, slots}, {valid, 0}, count,
                                 {.name = place.name + "[]", .first_row = 0}, scratch));
  if (null_entries == NullEntries::kDrop) DropNulls(&inner, scratch);
  return inner;
}

Result<ListRows> Flatten(const ListRows& outer, const ListRows& inner, const ColumnPlace& place,
                         ArrowScratch* scratch) {
  ListRows lists = inner;
  lists.rows = outer.rows;
  auto* offsets = scratch->Take<int64_t>(outer.rows.num_rows + 1);
  for (size_t row = 0; row <= outer.rows.num_rows; ++row)
    offsets[row] = static_cast<int64_t>(inner.rows.Begin(outer.rows.Begin(row)));
  for (size_t row = 0; row < outer.rows.num_rows; ++row) {
    if (offsets[row + 1] - offsets[row] <= int64_t{kMaxListLength}) continue;
    return place.RowFault(StatusCode::kOutOfRange, row, "found {} entries, expected at most {}",
                          offsets[row + 1] - offsets[row], kMaxListLength);
  }
  lists.rows.offsets32 = nullptr;
  lists.rows.offsets64 = offsets;
  return lists;
}

const std::byte* LengthsOf(const ListRows& inner, Type type, ArrowScratch* scratch) {
  return type == Type::kInt32 ? Lengths<int32_t>(inner.rows, scratch)
                              : Lengths<int64_t>(inner.rows, scratch);
}

}  // namespace dsi::internal
