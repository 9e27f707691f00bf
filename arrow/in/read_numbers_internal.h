// Numbers of an Arrow array as a column of a batch takes them: where they lie, if they are of its
// type already, else converted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/arrow/in/array_view_internal.h"
#include "dsi/arrow/in/entry_rows_internal.h"
#include "dsi/arrow/in/scratch_internal.h"

namespace dsi::internal {

// What a column takes.
struct NumberTarget {
  Type type = Type::kInt64;
  int64_t instant_nanos = 0;  // Timestamps: nanoseconds of its unit; else 0.
};

// Values at the positions, of the target's type; valid as long as the array and the scratch.
// Entries that no row has are any. kOutOfRange: a number that does not fit, named with its row.
Result<const std::byte*> ReadNumbers(const ArrowView& view, const Positions& at,
                                     const EntryRows& rows, const NumberTarget& target,
                                     const ColumnPlace& place, ArrowScratch* scratch);

// Dictionary indices at the positions, each below `size`; -1 where no row looks and the index is
// none. kBadInput: a row has an index beyond.
Result<const int64_t*> ReadIndices(const ArrowView& view, const Positions& at,
                                   const EntryRows& rows, size_t size, const ColumnPlace& place,
                                   ArrowScratch* scratch);

// kBadInput: an entry that a row has is null.
Status CheckNoNulls(const SlotBits& bits, const Positions& at, const EntryRows& rows,
                    const ColumnPlace& place);

}  // namespace dsi::internal
