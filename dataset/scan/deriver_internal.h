// Runs a pipeline over the rows of a piece: once per unique row, or per tuple of unique rows that
// occurs where features of several groups meet.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/dataset/scan/derived_task_internal.h"
#include "dsi/dataset/scan/stage_pool_internal.h"
#include "dsi/dataset/scan/tuple_finder_internal.h"
#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {

class Deriver {
 public:
  // All outlive it. `all_rows_come`: of the stripes that are read.
  Deriver(const TransformPlan* plan, const FileTransforms* transforms,
          const ScanProjection* projection, bool all_rows_come, MemoryBudget* budget);

  // The rows of pieces to come are decoded anew, of the stripe of those before or of another.
  void ForgetRows();
  void ForgetStripe();
  // kResourceExhausted, and what a callback of the pipeline returns.
  Status Run(const BatchPiece& piece);
  // Of the piece of the last call.
  const DerivedRows& rows() const { return rows_; }

 private:
  // A feature, or a stage of fewer groups, as rows of a group of tuples.
  struct Input {
    std::vector<int64_t> begins, ends;
    std::vector<uint8_t> present;
    std::vector<std::byte> numbers;
    std::vector<uint32_t> rows;
  };
  // What a stage made: rows of its own, or windows of a pool or of what its source has.
  struct Made {
    RowsView view;
    RowsPool pool;
    bool is_own = true;
    uint64_t num_values = 0;            // From view.values on.
    std::vector<int64_t> begins, ends;  // Of a list that was cut.
    std::vector<uint32_t> lengths;
  };
  Status RunStage(const BatchPiece& piece, size_t stage);
  Result<RowsView> ViewOf(const BatchPiece& piece, const TransformInput& of,
                          const TransformType& type, uint32_t group, Input* input);
  static void TakeNumbers(const ValuesView& values, const ShapeView& shape, const uint32_t* slots,
                          Input* input, RowsView* view);
  static void MakeMissing(Input* input, RowsView* view);
  ValuesView ValuesOf(const BatchPiece& piece, const TransformInput& of) const;
  uint64_t NumReadable(const BatchPiece& piece, const TransformInput& of) const;
  RowsPool PoolOf(const BatchPiece& piece, const TransformInput& of) const;
  static void CutRows(const TransformStage& stage, const RowsView& view, Made* made);
  Status TakeMapped(const BatchPiece& piece, size_t stage);
  bool MakeWindows(const BatchPiece& piece, size_t stage);
  void SetStage(size_t stage);
  Status Charge(uint64_t bytes, uint64_t* counted);
  Status ChargeTuples();
  Status ChargeStage(size_t stage);

  const TransformPlan* plan_;
  const FileTransforms* transforms_;
  const ScanProjection* projection_;
  MemoryCharge memory_;
  TupleFinder finder_;
  std::vector<TupleGroup> groups_;
  // By stage.
  std::vector<RowsBuilder> built_;
  std::vector<StagePool> pools_;
  std::vector<Made> made_;
  std::vector<std::vector<Input>> inputs_;
  std::vector<uint64_t> stage_bytes_;  // Counted of it.
  uint64_t tuple_bytes_ = 0;
  uint64_t held_ = 0;
  std::vector<uint64_t> starts_;  // Of numbers: 0, 1, 2, …
  std::vector<RowsInput> views_;  // Of the stage that is run.
  DerivedRows rows_;
};

}  // namespace dsi::internal
