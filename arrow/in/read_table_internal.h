// Features of a batch of rows from the arrays of a table.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/arrow/abi.h"
#include "dsi/arrow/in/input_plan_internal.h"
#include "dsi/arrow/in/scratch_internal.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

// Rows of the table as RowBatch::AppendColumns takes them; they refer to the array and the scratch.
// `first_row`: the number of row 0, for messages. Errors: kBadInput, kOutOfRange as ArrowInput's.
Result<std::vector<FeatureColumns>> ReadTable(const ArrowField& table, const ArrowArray& array,
                                              const InputPlan& plan, const Schema& schema,
                                              uint64_t first_row, ArrowScratch* scratch);

}  // namespace dsi::internal
