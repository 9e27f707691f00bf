#include "dsi/dataset/count/batch_groups_internal.h"

#include <unordered_map>

#include "dsi/base/parallel_internal.h"

namespace dsi::internal {

Status BatchGroups::Find(const Batch& batch, size_t num_columns, int threads) {
  std::unordered_map<const int32_t*, size_t> known;
  of_column_.resize(num_columns);
  for (size_t i = 0; i < num_columns; ++i) {
    DSI_ASSIGN_OR_RETURN(const IkjtView view, batch.Ikjt(i));
    const auto [found, is_new] = known.emplace(view.inverse, known.size());
    of_column_[i] = found->second;
    if (!is_new) continue;
    if (groups_.size() < known.size()) groups_.emplace_back();
    groups_[found->second].inverse = view.inverse;
    groups_[found->second].times.assign(view.unique.rows, 0);
  }
  size_ = known.size();
  const auto count = [&](size_t i) {
    Group& group = groups_[i];
    for (size_t row = 0; row < batch.num_rows(); ++row)
      ++group.times[static_cast<size_t>(group.inverse[row])];
    return Status::Ok();
  };
  return ParallelFor(size_, threads, count, [] { return Status::Ok(); });
}

}  // namespace dsi::internal
