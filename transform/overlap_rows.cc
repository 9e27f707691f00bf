// intersection, has_overlap, overlap_count, jaccard (T-046, T-047): two lists of ids compared, each
// sorted first.
#include <algorithm>
#include <cstring>
#include <vector>

#include "dsi/transform/row_ops_internal.h"

namespace dsi::internal {
namespace {

void SortedIds(const RowsInput& input, size_t i, std::vector<int64_t>* ids) {
  const size_t row = input.Row(i);
  const size_t begin = input.view.Begin(row);
  ids->resize(input.view.Length(row));
  for (size_t k = 0; k < ids->size(); ++k) (*ids)[k] = IdAt(input.view, begin + k);
  std::sort(ids->begin(), ids->end());
}

// How many pairs of equal ids there are, each entry in one pair at most.
size_t CountShared(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  size_t shared = 0;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (a[i] == b[k]) {
      ++shared;
      ++i;
      ++k;
    } else if (a[i] < b[k]) {
      ++i;
    } else {
      ++k;
    }
  }
  return shared;
}

float Measure(TransformOp op, size_t shared, size_t all) {
  if (op == TransformOp::kHasOverlap) return shared > 0 ? 1.0F : 0.0F;
  if (op == TransformOp::kOverlapCount) return static_cast<float>(shared);
  const size_t different = all - shared;
  if (different == 0) return 0.0F;
  return static_cast<float>(static_cast<double>(shared) / static_cast<double>(different));
}

}  // namespace

void IntersectRows(RowsInputs inputs, size_t num_rows, RowsBuilder* out) {
  const RowsView& view = inputs[0].view;
  std::vector<int64_t> sought;
  for (size_t i = 0; i < num_rows; ++i) {
    if (!HasAll(inputs, i)) {
      out->EndMissing();
      continue;
    }
    SortedIds(inputs[1], i, &sought);
    const size_t row = inputs[0].Row(i);
    const size_t begin = view.Begin(row);
    const size_t end = begin + view.Length(row);
    // Entries that stay, in runs.
    for (size_t at = begin; at < end;) {
      size_t stop = at;
      while (stop < end && std::binary_search(sought.begin(), sought.end(), IdAt(view, stop))) {
        ++stop;
      }
      AddEntries(view, at, stop - at, out);
      at = stop + 1;
    }
    out->EndRow();
  }
}

void OverlapRows(TransformOp op, RowsInputs inputs, size_t num_rows, RowsBuilder* out) {
  std::vector<int64_t> a;
  std::vector<int64_t> b;
  for (size_t i = 0; i < num_rows; ++i) {
    if (!HasAll(inputs, i)) {
      out->EndMissing();
      continue;
    }
    SortedIds(inputs[0], i, &a);
    SortedIds(inputs[1], i, &b);
    *static_cast<float*>(out->AddValues(1)) = Measure(op, CountShared(a, b), a.size() + b.size());
    out->EndRow();
  }
}

}  // namespace dsi::internal
