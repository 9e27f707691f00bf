// Declared rounding of floats (spec S-014): values in, values of the declared precision out, and
// how far off they are. What comes out are ordinary floats; encodings find them short.
#pragma once

#include <functional>
#include <span>

#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

// Rounds one column of a feature in place, all rows at once, and returns the greatest difference
// that it made. Rounding twice changes nothing more. kOutOfRange: a finite value is beyond the
// precision's range; names the feature, the row and the value, and leaves values half rounded.
Result<double> RoundColumn(const FeatureSpec& feature, size_t column,
                           RowBatch::FeatureBuffer* rows);

// Rounds all columns of which the schema declares a precision, and notes in it how far off values
// are then. `rows`: per feature. `poll` is called between columns, and its error ends the work.
Status RoundFloats(std::span<RowBatch::FeatureBuffer> rows, int threads,
                   const std::function<Status()>& poll, Schema* schema);

}  // namespace dsi::internal
