// ngram and cartesian (T-044, T-045): hashes of several ids, reduced to [0, max).
#include <algorithm>
#include <limits>

#include "dsi/transform/elementwise_internal.h"
#include "dsi/transform/residue_internal.h"
#include "dsi/transform/row_ops_internal.h"

namespace dsi::internal {
namespace {

// Ids are folded into the salt from the first to the last.
uint64_t Fold(uint64_t hash, int64_t id) {
  return Hash128To64(hash, TwangMix64(static_cast<uint64_t>(id)));
}

// Where residues go, as int32 or int64.
class ResidueRow {
 public:
  ResidueRow(int64_t max, size_t count, RowsBuilder* out)
      : narrow_(TypeOfResidues(max) == Type::kInt32), to_(out->AddValues(count)) {}
  void Set(size_t at, int64_t residue) {
    if (narrow_) {
      static_cast<int32_t*>(to_)[at] = static_cast<int32_t>(residue);
    } else {
      static_cast<int64_t*>(to_)[at] = residue;
    }
  }

 private:
  bool narrow_;
  void* to_;
};

}  // namespace

void NGramRows(const TransformStep& step, RowsInputs inputs, size_t num_rows, RowsBuilder* out) {
  const Residue residue(step.max);
  const auto n = static_cast<size_t>(step.n);
  for (size_t i = 0; i < num_rows; ++i) {
    if (!HasAll(inputs, i)) {
      out->EndMissing();
      continue;
    }
    size_t shortest = std::numeric_limits<size_t>::max();
    for (const RowsInput& input : inputs) {
      shortest = std::min(shortest, input.view.Length(input.Row(i)));
    }
    const size_t count = shortest < n ? 0 : shortest - n + 1;
    ResidueRow to(step.max, count, out);
    for (size_t at = 0; at < count; ++at) {
      auto hash = static_cast<uint64_t>(step.salt);
      for (const RowsInput& input : inputs) {
        const size_t begin = input.view.Begin(input.Row(i)) + at;
        for (size_t k = 0; k < n; ++k) hash = Fold(hash, IdAt(input.view, begin + k));
      }
      to.Set(at, residue.Of(static_cast<int64_t>(hash)));
    }
    out->EndRow();
  }
}

void CartesianRows(const TransformStep& step, RowsInputs inputs, size_t num_rows,
                   RowsBuilder* out) {
  const Residue residue(step.max);
  const RowsInput& outer = inputs[0];
  const RowsInput& inner = inputs[1];
  for (size_t i = 0; i < num_rows; ++i) {
    if (!HasAll(inputs, i)) {
      out->EndMissing();
      continue;
    }
    const size_t outer_begin = outer.view.Begin(outer.Row(i));
    const size_t inner_begin = inner.view.Begin(inner.Row(i));
    const uint64_t outer_count = outer.view.Length(outer.Row(i));
    const uint64_t inner_count = inner.view.Length(inner.Row(i));
    // Lengths are below 2^31.
    const auto count =
        static_cast<size_t>(std::min(outer_count * inner_count, static_cast<uint64_t>(step.limit)));
    ResidueRow to(step.max, count, out);
    for (size_t a = 0, at = 0; at < count; ++a) {
      const uint64_t hash =
          Fold(static_cast<uint64_t>(step.salt), IdAt(outer.view, outer_begin + a));
      for (size_t b = 0; b < inner_count && at < count; ++b, ++at) {
        const uint64_t pair = Fold(hash, IdAt(inner.view, inner_begin + b));
        to.Set(at, residue.Of(static_cast<int64_t>(pair)));
      }
    }
    out->EndRow();
  }
}

}  // namespace dsi::internal
