// The rows of a feature that few rows have, from its shape codes (spec D-010).
//
// A list of 8 bytes for each row that is present, in the place of 13 for every row: a table of
// thousands of features of which a row has 1 % is read at the cost of what is there. Thread safety:
// pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/base/memory_budget_internal.h"

namespace dsi::internal {

struct PresentRow {
  uint32_t row = 0;  // Unique row of the stripe.
  uint32_t length = 0;
};

// Appends those of rows `first`, `first` + 1, … that are present. False: they are more than `most`,
// and nothing was appended. *greatest is the greatest code, with false a part's. Throws OverBudget.
bool AddPresentRows(std::span<const uint32_t> codes, uint32_t first, size_t most,
                    CountedVector<PresentRow>* rows, uint32_t* greatest);

// The same for kinds without lengths: a present row has `entries_per_row` values.
bool AddPresentRows(std::span<const uint8_t> codes, uint32_t first, uint32_t entries_per_row,
                    size_t most, CountedVector<PresentRow>* rows, uint32_t* greatest);

// To arrays of rows [first, first + count), which have room for so many; `starts` from the first
// present one's on.
void RowsToArrays(std::span<const PresentRow> rows, uint32_t first, uint32_t count,
                  uint64_t* starts, uint32_t* lengths, uint8_t* present);

}  // namespace dsi::internal
