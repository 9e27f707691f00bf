#include "dsi/dataset/scan/stage_pool_internal.h"

namespace dsi::internal {

bool StagePool::Take(const TransformPlan& plan, size_t stage, const RowsPool& pool, bool whole,
                     RowsView* rows) {
  if (pool.num_values == 0) return false;
  if (!is_made_) {
    stays_ = pool.stays;
    for (size_t i = 0; i < rows->num_rows; ++i) entries_ += rows->Length(i);
    const auto width = static_cast<uint64_t>(TypeWidth(plan.stages()[stage].type.type));
    const uint64_t bytes = pool.num_values * (width + sizeof(float));
    // Who decodes and fills needs the memory first.
    const MemoryBudget& budget = *values_.budget();
    if (!(all_rows_come_ && whole) && entries_ <= pool.num_values) return false;
    if (bytes > budget.left() / 2 || budget.left() - bytes < budget.limit / 4) return false;
    if (!Make(plan, stage, pool.num_values, *rows)) return false;
  }
  rows->type = plan.stages()[stage].type;
  rows->values = values_.data();
  if (rows->scores != nullptr) rows->scores = reinterpret_cast<const float*>(scores_.data());
  return true;
}

// False: there is no memory for it.
bool StagePool::Make(const TransformPlan& plan, size_t stage, uint64_t num_values,
                     const RowsView& rows) {
  const ElementwiseChain& values = plan.values_of(stage);
  const auto width = static_cast<uint64_t>(TypeWidth(values.output_type()));
  if (!values_.Reserve(num_values * width, 0).ok()) return false;
  values.Apply(rows.values, num_values, values_.data());
  if (rows.scores != nullptr) {
    if (!scores_.Reserve(num_values * sizeof(float), 0).ok()) return false;
    plan.scores_of(stage).Apply(rows.scores, num_values, scores_.data());
  }
  is_made_ = true;
  return true;
}

}  // namespace dsi::internal
