// Checks the values of one stream as they come, page after page, against what the stream is for.
#pragma once

#include <cstdint>
#include <span>

#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"

namespace dsi::internal {

// Holds a few counters, so that any number of streams may be in progress. Order: Start, Add for
// each node (or AddConstant), Finish.
class StreamChecker {
 public:
  // `column` is null for index and dictionary streams, `group` for all but index streams;
  // `parent_unique` are the unique rows of the group's parent.
  void Start(StreamRole role, const StreamRecord& record, const ColumnRecord* column,
             const StripeGroupRecord* group, uint32_t parent_unique, uint32_t num_rows,
             MemoryBudget* budget);

  // Values as decoded: record.width bytes each.
  Status Add(const void* values, size_t count);
  // All values at once, where the record holds the only one.
  Status AddConstant();
  // D-001 … D-003, D-010: what only the last value decides.
  Status Finish();

  // After a shape stream: entries that its codes ask for (D-011).
  uint64_t entries() const { return sum_; }
  // False until Finish has succeeded.
  bool sound() const { return sound_; }

 private:
  Status AddShape(const void* values, size_t count);
  Status AddIndex(const void* values, size_t count);
  // Form 4: the rows of `count` exceptions that are `gap` apart; the first of all may be 0.
  Status AddGaps(uint32_t gap, uint64_t count, bool with_first);

  StreamRole role_ = StreamRole::kValues;
  StreamRecord record_;
  const ColumnRecord* column_ = nullptr;
  IndexForm form_ = IndexForm::kIdentity;
  uint32_t num_unique_ = 0;
  uint32_t num_rows_ = 0;
  uint64_t first_gap_ = UINT64_MAX;  // Form 4: where the gaps of its exceptions start …
  uint64_t end_of_gaps_ = 0;         // … and end …
  uint64_t exception_row_ = 0;       // … and the row they have come to.
  uint64_t seen_ = 0;                // Values so far.
  uint64_t sum_ = 0;  // Shape: entries; index form 1: rows; forms 2 to 4: unique rows so far.
  CountedVector<bool> used_;  // Forms 3 and 4, by unique row.
  uint32_t greatest_ = 0;
  bool sound_ = false;
};

}  // namespace dsi::internal
