// A column of a batch, the same for all layouts: rows, or the unique rows and which each row is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/arrow/out/output_fields_internal.h"
#include "dsi/reader/batch.h"

namespace dsi::internal {

struct BatchColumn {
  size_t rows = 0;                   // Unique ones where there is an inverse.
  const uint8_t* present = nullptr;  // [rows]
  const void* values = nullptr;
  size_t num_values = 0;
  const int64_t* offsets = nullptr;  // [rows + 1]; null: padded.
  const int32_t* inverse = nullptr;  // [batch rows]
};

// kInvalidArgument: the batch is of other columns.
Status FindBatchColumn(const Batch& batch, size_t ordinal, const OutputField& field,
                       BatchColumn* column);

// That each row of bytes is UTF-8: kOutOfRange names column and row.
Status CheckUtf8(const Batch& batch, const OutputField& field, const BatchColumn& column);

}  // namespace dsi::internal
