// Pieces of a batch that come from files of other schemas: which of a file's groups, shapes and
// values stand for those of the batch, and what rows of a feature are that the file lacks.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/reader/decode/index_decoder_internal.h"
#include "dsi/reader/decode/pool_decoder_internal.h"
#include "dsi/reader/decode/shape_decoder_internal.h"

namespace dsi::internal {

// By position in the projection of the batch: the position in that of the file; from kDerived on, a
// position in the DerivedRows of the piece; kNone32: the file has no such feature.
struct PieceMap {
  static constexpr uint32_t kDerived = 1U << 31;
  std::vector<uint32_t> groups, shapes, values;
};

// What was made of the rows of a piece. Views: the memory is whose who made them.
struct DerivedRows {
  std::vector<GroupRows> groups;
  std::vector<ShapeView> shapes;  // With arrays, unless plain with one entry.
  std::vector<ValuesView> values;
};

// Rows of features that a file lacks: all refer to one unique row, which is missing.
class AbsentRows {
 public:
  explicit AbsentRows(MemoryBudget* budget) : slots_(budget) {}
  void Start(uint32_t num_rows) {
    slots_.assign(num_rows, 0);
    run_end_ = num_rows;
    group_ = {};
    group_.num_rows = num_rows;
    group_.num_unique = 1;
    group_.identity = num_rows == 1;
    group_.slots = slots_;
    group_.run_ends = {&run_end_, 1};
    shape_ = {};
    shape_.count = 1;
    shape_.starts = &kStart;
    shape_.lengths = &kLength;
    shape_.present = &kPresent;
  }
  const GroupRows& group() const { return group_; }
  const ShapeView& shape() const { return shape_; }

 private:
  static constexpr uint64_t kStart = 0;
  static constexpr uint32_t kLength = 0;
  static constexpr uint8_t kPresent = 0;
  CountedVector<uint32_t> slots_;
  uint32_t run_end_ = 0;
  GroupRows group_;
  ShapeView shape_;
};

}  // namespace dsi::internal
