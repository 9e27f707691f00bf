// Strings of an Arrow array: where they lie, if one offset follows another, else gathered; and the
// ids that hashed columns make of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/arrow/in/array_view_internal.h"
#include "dsi/arrow/in/entry_rows_internal.h"
#include "dsi/arrow/in/scratch_internal.h"

namespace dsi::internal {

// Row i is bytes[offset i, offset i + 1); one of the two offsets is set, and begins at 0.
struct RowBytes {
  const int32_t* offsets32 = nullptr;
  const int64_t* offsets64 = nullptr;
  const std::byte* bytes = nullptr;  // May be null where there are none.
};

// One string per row: that of its position. kBadInput: offsets that descend or are negative, a view
// into a buffer that is not there or beyond its end. kOutOfRange: a string of 2^31 bytes or more.
Result<RowBytes> ReadBytes(const ArrowView& view, const Positions& at, const EntryRows& rows,
                           const ColumnPlace& place, ArrowScratch* scratch);

// The id of each entry's string (S-015), in `type`, an integer of 4 or 8 bytes; zeros where no row
// looks and where a position picks no slot. Errors as above.
Result<const std::byte*> ReadIds(const ArrowView& view, const Positions& at, const EntryRows& rows,
                                 Type type, const ColumnPlace& place, ArrowScratch* scratch);

}  // namespace dsi::internal
