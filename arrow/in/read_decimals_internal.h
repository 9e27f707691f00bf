// Decimals of 128 bits of an Arrow array as numbers of 64.
#pragma once

#include <cstddef>

#include "dsi/arrow/in/array_view_internal.h"
#include "dsi/arrow/in/entry_rows_internal.h"
#include "dsi/arrow/in/scratch_internal.h"

namespace dsi::internal {

// What decimals of this field are read as: those without a fraction int64, or uint64 where that is
// wanted, others float64.
Type TypeOfDecimals(const ArrowField& field, Type wanted);

// Values at the positions. A decimal with a fraction is the nearest float64, as text of it would be
// read. kOutOfRange: one that the type does not hold, or of more digits than float64 tells apart
// once zeros at its end are gone; kBadInput: more digits than its type has. All name the row.
Result<const std::byte*> ReadDecimals(const ArrowView& view, const Positions& at,
                                      const EntryRows& rows, Type type, const ColumnPlace& place,
                                      ArrowScratch* scratch);

}  // namespace dsi::internal
