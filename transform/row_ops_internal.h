// Operations on rows: lists shortened, crossed, compared. Row i of the output is made of row
// inputs[k].Row(i) of each input; one that an input misses is missing (T-003).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/transform/rows.h"
#include "dsi/transform/step.h"

namespace dsi::internal {

using RowsInputs = std::span<const RowsInput>;

void TruncateRows(const TransformStep& step, const RowsInput& input, size_t num_rows,
                  RowsBuilder* out);
void FillRows(const TransformStep& step, const RowsInput& input, size_t num_rows, RowsBuilder* out);
void OneHotRows(const TransformStep& step, const RowsInput& input, size_t num_rows,
                RowsBuilder* out);
void EnumerateRows(const RowsInput& input, size_t num_rows, RowsBuilder* out);
void IdsOfTexts(const RowsInput& input, size_t num_rows, RowsBuilder* out);
void NGramRows(const TransformStep& step, RowsInputs inputs, size_t num_rows, RowsBuilder* out);
void CartesianRows(const TransformStep& step, RowsInputs inputs, size_t num_rows, RowsBuilder* out);
// intersection, difference.
void SiftRows(TransformOp op, RowsInputs inputs, size_t num_rows, RowsBuilder* out);
// has_overlap, overlap_count, max_count, jaccard.
void OverlapRows(TransformOp op, RowsInputs inputs, size_t num_rows, RowsBuilder* out);
// score_sum, score_min, score_max.
void SharedScoreRows(TransformOp op, RowsInputs inputs, size_t num_rows, RowsBuilder* out);
void CosineRows(RowsInputs inputs, size_t num_rows, RowsBuilder* out);
// Rows as they are, one after another.
void CopyRows(const RowsInput& input, size_t num_rows, RowsBuilder* out);

// Entry `at` of the values, which are int32 or int64.
inline int64_t IdAt(const RowsView& view, size_t at) {
  return view.type.type == Type::kInt32 ? static_cast<const int32_t*>(view.values)[at]
                                        : static_cast<const int64_t*>(view.values)[at];
}

inline bool HasAll(RowsInputs inputs, size_t i) {
  for (const RowsInput& input : inputs) {
    if (!input.view.Has(input.Row(i))) return false;
  }
  return true;
}

// The ids of row i of the output, ascending, each as often as it stands there.
void SortedIds(const RowsInput& input, size_t i, std::vector<int64_t>* ids);

// Adds entries of a row, with their scores.
void AddEntries(const RowsView& view, size_t begin, size_t count, RowsBuilder* out);

}  // namespace dsi::internal
