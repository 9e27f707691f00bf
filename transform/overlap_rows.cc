// intersection and difference (T-046, T-051), has_overlap, overlap_count, max_count and jaccard
// (T-047, T-052): two lists of ids compared, each sorted first.
#include <algorithm>
#include <vector>

#include "dsi/transform/row_ops_internal.h"

namespace dsi::internal {
namespace {

// Of ids that both have.
struct Shared {
  size_t least =
      0;            // The lesser of the two counts of each, added up: of multisets the shared part.
  size_t most = 0;  // The greater ones.
};

// Where the run of equal ids that begins here ends.
size_t EndOfRun(const std::vector<int64_t>& ids, size_t at) {
  const int64_t id = ids[at];
  while (at < ids.size() && ids[at] == id) ++at;
  return at;
}

Shared CountShared(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  Shared shared;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (a[i] == b[k]) {
      const size_t i_end = EndOfRun(a, i);
      const size_t k_end = EndOfRun(b, k);
      shared.least += std::min(i_end - i, k_end - k);
      shared.most += std::max(i_end - i, k_end - k);
      i = i_end;
      k = k_end;
    } else if (a[i] < b[k]) {
      ++i;
    } else {
      ++k;
    }
  }
  return shared;
}

float Measure(TransformOp op, const Shared& shared, size_t all) {
  if (op == TransformOp::kHasOverlap) return shared.least > 0 ? 1.0F : 0.0F;
  if (op == TransformOp::kOverlapCount) return static_cast<float>(shared.least);
  if (op == TransformOp::kMaxCount) return static_cast<float>(shared.most);
  const size_t different = all - shared.least;
  if (different == 0) return 0.0F;
  return static_cast<float>(static_cast<double>(shared.least) / static_cast<double>(different));
}

}  // namespace

void SortedIds(const RowsInput& input, size_t i, std::vector<int64_t>* ids) {
  const size_t row = input.Row(i);
  const size_t begin = input.view.Begin(row);
  ids->resize(input.view.Length(row));
  for (size_t k = 0; k < ids->size(); ++k) (*ids)[k] = IdAt(input.view, begin + k);
  std::sort(ids->begin(), ids->end());
}

void SiftRows(TransformOp op, RowsInputs inputs, size_t num_rows, RowsBuilder* out) {
  const RowsView& view = inputs[0].view;
  const bool shared = op == TransformOp::kIntersection;
  std::vector<int64_t> sought;
  for (size_t i = 0; i < num_rows; ++i) {
    if (!HasAll(inputs, i)) {
      out->EndMissing();
      continue;
    }
    SortedIds(inputs[1], i, &sought);
    const auto stays = [&](size_t at) {
      return std::binary_search(sought.begin(), sought.end(), IdAt(view, at)) == shared;
    };
    const size_t row = inputs[0].Row(i);
    const size_t begin = view.Begin(row);
    const size_t end = begin + view.Length(row);
    // Entries that stay, in runs.
    for (size_t at = begin; at < end;) {
      size_t stop = at;
      while (stop < end && stays(stop)) ++stop;
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
