// What an elementwise stage makes of a whole pool of values, once: rows of it are the windows that
// they are of its source, and no row's entries are made twice.
//
// A pool pays once its rows have had more entries than it has values. Where all rows of a stripe
// come whole they will, since each value is of a row, and it is made at once; else few rows of a
// large pool are made by themselves.
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/reader/decode/stream_window_internal.h"
#include "dsi/transform/transform_plan.h"

namespace dsi::internal {

// The values that rows are windows of: from `RowsView::values` on.
struct RowsPool {
  uint64_t num_values = 0;  // 0: the rows are not known to share any.
  bool stays = false;       // Where it is, for as long as the stripe is read.
};

class StagePool {
 public:
  // `all_rows_come`: of the stripes that are read.
  StagePool(bool all_rows_come, MemoryBudget* budget)
      : all_rows_come_(all_rows_come), values_(budget), scores_(budget) {}

  // Other rows were decoded, or those of another stripe.
  void ForgetRows() {
    if (!stays_) Forget();
  }
  // Gives the memory back.
  void ForgetStripe() {
    Forget();
    values_.Release();
    scores_.Release();
  }
  // Makes *rows, which are windows of a pool (`whole`: not cut to some of their entries), those of
  // what the stage makes of them; false: they are to be made by themselves.
  bool Take(const TransformPlan& plan, size_t stage, const RowsPool& pool, bool whole,
            RowsView* rows);

 private:
  void Forget() {
    is_made_ = stays_ = false;
    entries_ = 0;
  }
  bool Make(const TransformPlan& plan, size_t stage, uint64_t num_values, const RowsView& rows);

  bool all_rows_come_;
  ScanBuffer values_;
  ScanBuffer scores_;
  bool is_made_ = false;
  bool stays_ = false;
  uint64_t entries_ = 0;  // Of all rows so far.
};

}  // namespace dsi::internal
