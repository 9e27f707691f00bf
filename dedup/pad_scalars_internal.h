// Padded rows of one value each. A part of PadRows and PadRowRange, which see the case.
// Thread safety: pure. No allocation.
#pragma once

#include "dsi/dedup/expand_internal.h"

namespace dsi::internal {

// As PadRows with a row_length of 1; `slots` null: as PadRowRange from unique row `first` on.
uint64_t PadScalars(const ValuePool& pool, const uint32_t* slots, uint32_t first, size_t count,
                    const PadOptions& options, const PaddedRows& out);

}  // namespace dsi::internal
