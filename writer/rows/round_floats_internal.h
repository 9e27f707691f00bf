// Declared rounding of floats (spec S-014): values in, values of the declared precision out, and
// how far off they are. What comes out are ordinary floats; encodings find them short.
#pragma once

#include <functional>
#include <span>

#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

// The greatest finite value of a column, without its sign: int8 rounds to a share of it.
double LargestOf(const FeatureSpec& feature, size_t column, const RowBatch::FeatureBuffer& rows);

// Rounds one column of a feature in place, and returns the greatest difference that it made.
// `largest`: of all rows of the file. Rounding twice changes nothing more. kOutOfRange: a finite
// value is beyond the precision's range; names the feature, the row (`first_row` is that of the
// first) and the value, and leaves values half rounded.
Result<double> RoundColumn(const FeatureSpec& feature, size_t column, double largest,
                           RowBatch::FeatureBuffer* rows, uint64_t first_row = 0);

// Rounds all columns of which the schema declares a precision, and notes in it how far off values
// are then. `rows`: per feature. `poll` is called between columns, and its error ends the work.
Status RoundFloats(std::span<RowBatch::FeatureBuffer> rows, int threads,
                   const std::function<Status()>& poll, Schema* schema);

// The same of rows that come some at a time. What fits into each value by itself is rounded before
// they are spilled, and what needs the greatest of all once they are read.
class StagedRounding {
 public:
  explicit StagedRounding(const Schema& schema);

  // Rounds rows that are about to be spilled, where that can be told. An error is kept for Finish.
  void BeforeSpill(uint64_t first_row, std::span<RowBatch::FeatureBuffer> rows);
  bool rounds() const { return !each_.empty() || !int8_.empty(); }
  bool needs_all() const { return !int8_.empty(); }
  // Rounds rows that were read and counts how far off values are. After all BeforeSpill.
  Status AfterRead(std::span<RowBatch::FeatureBuffer> rows);
  // The first error of BeforeSpill.
  const Status& status() const { return error_; }
  // Notes it in the schema. Error: of BeforeSpill.
  Status Finish(Schema* schema) const;

 private:
  struct Column {
    size_t feature;
    size_t column;
    double largest = 0;
    double max_error = 0;
  };
  const Schema* schema_;
  std::vector<Column> each_;
  std::vector<Column> int8_;
  Status error_;
};

}  // namespace dsi::internal
