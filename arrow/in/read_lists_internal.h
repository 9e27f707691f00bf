// Lists of an Arrow array: which entries each row has, and where they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/arrow/in/array_view_internal.h"
#include "dsi/arrow/in/entry_rows_internal.h"
#include "dsi/arrow/in/scratch_internal.h"

namespace dsi::internal {

struct ListRows {
  EntryRows rows;
  ArrowView items;
  Positions at;  // Of items; at.count entries in all.
};

// One list per row: that of its position. kBadInput: offsets that descend, are negative or end
// beyond the items. kOutOfRange: a list of 2^31 entries or more.
Result<ListRows> ReadLists(const ArrowView& view, const Positions& at, const SlotBits& valid,
                           size_t num_rows, const ColumnPlace& place, ArrowScratch* scratch);

// Leaves out entries of rows that are not there.
void Compact(ListRows* lists, ArrowScratch* scratch);

// Makes every row `length` entries long, those that are not there as well. kBadInput: a row that is
// there has another number of them.
Status Fix(size_t length, const ColumnPlace& place, ListRows* lists, ArrowScratch* scratch);

}  // namespace dsi::internal
