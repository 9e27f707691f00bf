// When a stage makes a pool of values once for all of its rows, and what rows of it are then.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/scan/stage_pool_internal.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

using internal::MemoryBudget;
using internal::StagePool;

constexpr int64_t kValues = 100;

class StagePoolTest : public ::testing::Test {
 protected:
  StagePoolTest() : model_(HistoryTable(7, 50), 1, 1000), values_(kValues) {
    Pipeline pipeline;
    pipeline.steps = {
        {.output = "rest", .op = TransformOp::kModulus, .inputs = {"user.history.item"}, .max = 7}};
    plan_ = *model_.dataset->Resolve(pipeline);
    std::iota(values_.begin(), values_.end(), 0);
    view_.type = plan_->features()[0].type;
    view_.num_rows = 1;
    view_.begins = &kBegin;
    view_.ends = &kEnd;
    view_.values = values_.data();
  }

  // Asks for the same row of ten entries; how often it is refused before it is taken.
  int Refusals(StagePool* pool, bool whole) {
    for (int refusals = 0; refusals < 1000; ++refusals) {
      RowsView rows = view_;
      if (!pool->Take(*plan_, 0, {.num_values = kValues, .stays = true}, whole, &rows)) continue;
      EXPECT_EQ(rows.type.type, Type::kInt32);
      for (int64_t i = kBegin; i < kEnd; ++i)
        EXPECT_EQ(static_cast<const int32_t*>(rows.values)[i], i % 7);
      return refusals;
    }
    return 1000;
  }

  static constexpr int64_t kBegin = 40;
  static constexpr int64_t kEnd = 50;
  const ModelDataset model_;
  std::optional<TransformPlan> plan_;
  std::vector<int64_t> values_;
  RowsView view_;
  MemoryBudget budget_{.limit = 1 << 20};
};

TEST_F(StagePoolTest, IsMadeAtOnceWhereAllRowsCome) {
  StagePool pool(/*all_rows_come=*/true, &budget_);
  EXPECT_EQ(Refusals(&pool, /*whole=*/true), 0);
  pool.ForgetStripe();
  EXPECT_EQ(Refusals(&pool, true), 0);
}

TEST_F(StagePoolTest, WaitsForAsManyEntriesWhereFewRowsMayCome) {
  StagePool pool(/*all_rows_come=*/false, &budget_);
  EXPECT_EQ(Refusals(&pool, /*whole=*/true), 10);
  EXPECT_EQ(Refusals(&pool, true), 0);  // It stays.
  pool.ForgetRows();
  EXPECT_EQ(Refusals(&pool, true), 0);
  pool.ForgetStripe();
  EXPECT_EQ(Refusals(&pool, true), 10);
}

TEST_F(StagePoolTest, WaitsForAsManyEntriesOfRowsThatAreCut) {
  StagePool pool(/*all_rows_come=*/true, &budget_);
  EXPECT_EQ(Refusals(&pool, /*whole=*/false), 10);
}

TEST_F(StagePoolTest, IsNotMadeWithoutRoom) {
  budget_.limit = 1500;  // Of which it would take half and more.
  StagePool pool(/*all_rows_come=*/true, &budget_);
  EXPECT_EQ(Refusals(&pool, /*whole=*/true), 1000);
}

}  // namespace
}  // namespace dsi::test
