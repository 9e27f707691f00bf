#include "dsi/writer/encode/feature_values_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/dedup/place_windows_internal.h"
#include "dsi/writer/cluster/gather_internal.h"

namespace dsi::internal {
namespace {

// What a value that windows save would have cost, roughly, once encoded: a byte less than what is
// left in the pool costs, since what repeats compresses better than what does not.
constexpr double kSavedBytesPerValue = 0.75;
constexpr uint64_t kCommonLength = 64;  // Of histories that are read cut; decides on tiers.

std::vector<uint32_t> LengthsOf(const std::vector<uint32_t>& shape) {
  std::vector<uint32_t> lengths(shape.size());
  std::transform(shape.begin(), shape.end(), lengths.begin(),
                 [](uint32_t code) { return code == 0 ? 0 : code - 1; });
  return lengths;
}

}  // namespace

FeatureValues::FeatureValues(const ClusteredFeature& feature, const GroupIndex& index,
                             uint32_t first, uint32_t num_rows, bool has_windows)
    : feature_(feature), index_(index), first_(first), num_rows_(num_rows) {
  if (has_windows)
    windows_ = FindWindows(feature_.MakeRows(first_, num_rows_), index_.stored_rows, num_rows_);
}

EncodedStream FeatureValues::EncodeWindows(const WindowOptions& options,
                                           const StreamTuning& tuning) {
  const auto encode = [&] {
    return EncodeStream({.values = windows_.codes.data(),
                         .count = windows_.codes.size(),
                         .width = sizeof(uint32_t)},
                        options.page_values, tuning, options.plan);
  };
  EncodedStream codes;
  bool pays = false;
  if (!windows_.codes.empty()) {
    codes = encode();
    const auto saved = static_cast<double>(windows_.num_entries - windows_.num_values);
    pays = saved * kSavedBytesPerValue * static_cast<double>(windows_.pool.size()) >=
           static_cast<double>(codes.bytes());
  }
  if (!pays) {
    codes = {};
    codes.record.width = sizeof(uint32_t);
  }
  if (!pays && options.num_tiers > 1) {
    // Lists one after another are chains of their own, which may have tiers.
    const FeatureSlice slice = feature_.MakeRows(first_, num_rows_);
    windows_.codes.assign(index_.record.num_unique, 0);
    windows_.pool.clear();
    for (size_t c = 0; c < slice.values.size(); ++c)
      windows_.pool.push_back(GatherValues(slice, c, index_.stored_rows));
    const auto width = static_cast<size_t>(slice.values[0].width);
    windows_.num_values = windows_.pool[0].size() / width;
  }
  const std::optional<uint32_t> reach =
      options.num_tiers > 1 ? SpreadTiers(options.num_tiers) : std::nullopt;
  if (reach) {
    if (!pays) codes = encode();
    codes.record.max = *reach + 1;
  } else if (pays) {
    for (std::vector<std::byte>& values : windows_.pool)
      pool_.emplace_back().push_back(std::move(values));
  }
  windows_ = {};
  return codes;
}

// Sets pool_ where reading cut lists would leave a quarter of the pool alone.
std::optional<uint32_t> FeatureValues::SpreadTiers(uint32_t num_tiers) {
  const FeatureSpec& spec = *feature_.source().spec;
  const std::vector<uint32_t> lengths = LengthsOf(Shape());
  std::vector<uint32_t> starts(lengths.size());
  const size_t num_chains = CountChains(windows_.codes, lengths);
  std::vector<uint32_t> bounds(num_chains + kBoundsSlack);
  const auto placed = PlaceWindows(windows_.codes, lengths, windows_.num_values, starts, bounds);
  if (!placed.ok()) return std::nullopt;
  const Chains chains(std::span<const uint32_t>(bounds).first(num_chains + 1));
  const uint64_t reach = placed->Of(spec.newest_first);
  uint64_t left_alone = 0;
  const uint32_t first_unread = TiersWithin(reach + kCommonLength, num_tiers);
  for (size_t i = 0; i < chains.size(); ++i) {
    for (uint32_t tier = first_unread; tier < num_tiers; ++tier)
      left_alone += TierOf(chains[i], tier, num_tiers, spec.newest_first).size();
  }
  if (left_alone * 4 < windows_.num_values || left_alone == 0) return std::nullopt;
  for (size_t c = 0; c < windows_.pool.size(); ++c) {
    const auto width = static_cast<size_t>(TypeWidth(spec.columns[c].type));
    std::vector<std::vector<std::byte>>& tiers = pool_.emplace_back(num_tiers);
    for (uint32_t tier = 0; tier < num_tiers; ++tier) {
      for (size_t i = 0; i < chains.size(); ++i) {
        const PoolRange range = TierOf(chains[i], tier, num_tiers, spec.newest_first);
        const auto begin = windows_.pool[c].begin() + static_cast<int64_t>(range.begin * width);
        tiers[tier].insert(tiers[tier].end(), begin,
                           begin + static_cast<int64_t>(range.size() * width));
      }
    }
  }
  return static_cast<uint32_t>(reach);
}

std::vector<uint32_t> FeatureValues::Shape() const {
  return GatherShape(feature_.MakeRows(first_, num_rows_), index_.stored_rows);
}

std::vector<std::byte> FeatureValues::TakeValues(uint32_t column, uint32_t tier) {
  if (!pool_.empty())
    return tier < pool_[column].size() ? std::move(pool_[column][tier]) : std::vector<std::byte>();
  if (tier != 0) return {};
  return GatherValues(feature_.MakeRows(first_, num_rows_), column, index_.stored_rows);
}

std::vector<std::byte> FeatureValues::CopyValues(uint32_t column, uint64_t fewest,
                                                 uint64_t most) const {
  const FeatureSlice slice = feature_.MakeRows(first_, num_rows_);
  const auto width = static_cast<size_t>(slice.values[column].width);
  const uint64_t count =
      pool_.empty() ? CountValues(slice, index_.stored_rows) : pool_[column][0].size() / width;
  if (count < fewest || count > most) return {};
  return pool_.empty() ? GatherValues(slice, column, index_.stored_rows) : pool_[column][0];
}

}  // namespace dsi::internal
