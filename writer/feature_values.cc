#include "dsi/writer/feature_values_internal.h"

#include <utility>

#include "dsi/dedup/windows_internal.h"
#include "dsi/writer/gather_internal.h"

namespace dsi::internal {
namespace {

// What a value that windows save would have cost, roughly, once encoded: a byte less than what is
// left in the pool costs, since what repeats compresses better than what does not.
constexpr double kSavedBytesPerValue = 0.75;

}  // namespace

FeatureValues::FeatureValues(const ClusteredFeature& feature, const GroupIndex& index,
                             uint32_t first, uint32_t num_rows, bool windows, uint32_t page_values,
                             const EncodeTuning& tuning)
    : feature_(feature), index_(index), first_(first), num_rows_(num_rows) {
  windows_.record.width = sizeof(uint32_t);
  if (!windows) return;
  const ClusteredFeature::Slice slice = feature.MakeSlice(first, num_rows);
  Windows found = FindWindows(slice.column, index.stored_rows, num_rows);
  if (found.codes.empty()) return;
  EncodedStream codes = EncodeStream(
      {.values = found.codes.data(), .count = found.codes.size(), .width = sizeof(uint32_t)},
      page_values, tuning);
  const auto saved = static_cast<double>(found.num_entries - found.num_values);
  if (saved * kSavedBytesPerValue * static_cast<double>(found.pool.size()) <
      static_cast<double>(codes.bytes())) {
    return;
  }
  windows_ = std::move(codes);
  pool_ = std::move(found.pool);
}

std::vector<uint32_t> FeatureValues::Shape() const {
  return GatherShape(feature_.MakeSlice(first_, num_rows_), index_.stored_rows);
}

std::vector<std::byte> FeatureValues::TakeValues(uint32_t column) {
  if (!pool_.empty()) return std::move(pool_[column]);
  return GatherValues(feature_.MakeSlice(first_, num_rows_), column, index_.stored_rows);
}

}  // namespace dsi::internal
