#include "dsi/dataset/scan/coming_rows_internal.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace dsi::internal {
namespace {

constexpr double kThought = 0.5;

// Of the stripes that they lie in.
double ShareOfStripes(std::span<const uint64_t> stripe_ends, std::span<const DatasetRows> rows) {
  uint64_t asked = 0;
  uint64_t decoded = 0;
  uint64_t end = 0;  // Of the stripes counted so far.
  for (const DatasetRows& span : rows) {
    if (span.begin >= span.end) continue;
    asked += span.end - span.begin;
    const auto first = std::ranges::upper_bound(stripe_ends, span.begin);
    const uint64_t begin = first == stripe_ends.begin() ? 0 : *(first - 1);
    const auto last = std::ranges::lower_bound(stripe_ends, span.end);
    if (last == stripe_ends.end()) return 1;  // There are no such rows.
    decoded += *last - std::max(begin, end);
    end = *last;
  }
  return decoded == 0 ? 1 : static_cast<double>(asked) / static_cast<double>(decoded);
}

}  // namespace

ComingRows ComingRowsOf(const DatasetFiles& dataset, const DatasetScanOptions& options) {
  const RowFilter& filter = options.scan.filter;
  // Of many ranks each has its own stripes.
  const uint64_t world = options.shard.world;
  ComingRows coming;
  coming.all = options.order.unit != OrderUnit::kBlock && options.rows.empty() && filter.empty() &&
               (world == 1 || 2 * world <= dataset.stripe_ends().size());
  if (!options.rows.empty()) coming.share = ShareOfStripes(dataset.stripe_ends(), options.rows);
  if (!filter.where.empty()) coming.share *= kThought;
  if (!filter.sample.empty())
    coming.share *= filter.sample[0].when.empty() ? filter.sample[0].keep : kThought;
  return coming;
}

}  // namespace dsi::internal
