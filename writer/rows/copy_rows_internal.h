// Rows from one place of columns on, added to a batch: what is kept of rows when those before are
// let go of.
#pragma once

#include <cstdint>
#include <span>

#include "dsi/base/status.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

// Rows [first, end) of `from`, the columns of the batch's schema. All or nothing but for the rows
// of whole pieces. Errors: those of RowBatch::AppendColumns. Cost: one copy; beside it a few
// thousand rows are in memory twice.
Status CopyRows(std::span<const RowBatch::FeatureBuffer> from, uint32_t first, uint32_t end,
                RowBatch* to);

}  // namespace dsi::internal
