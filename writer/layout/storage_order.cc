#include "dsi/writer/layout/storage_order_internal.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "dsi/format/schema.h"

namespace dsi::internal {
namespace {

constexpr size_t kMostJobs = 64;  // Told apart; of others only how often a feature is read.

// How often jobs read a feature, and which of them do.
struct Heat {
  uint64_t times = 0;
  uint64_t jobs = 0;  // Bit j: job j, from the top.
};

std::vector<Heat> HeatOf(std::span<const ClusteredFeature> features,
                         std::span<const FeatureUse> uses) {
  std::vector<Heat> heat(features.size());
  if (uses.empty()) return heat;
  std::unordered_map<std::string, uint32_t> by_name;  // Of features and of their columns.
  for (uint32_t f = 0; f < features.size(); ++f) {
    const FeatureSpec& spec = *features[f].source().spec;
    by_name.emplace(spec.name, f);
    for (size_t c = 0; c < spec.columns.size(); ++c) by_name.emplace(ColumnName(spec, c), f);
  }
  for (size_t job = 0; job < uses.size(); ++job) {
    std::vector<uint32_t> read;
    for (const std::string& name : uses[job].features) {
      if (const auto at = by_name.find(name); at != by_name.end()) read.push_back(at->second);
    }
    std::sort(read.begin(), read.end());
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (const uint32_t f : read) {
      const uint64_t room = std::numeric_limits<uint64_t>::max() - heat[f].times;
      heat[f].times += std::min(room, uses[job].times);
      if (job < kMostJobs) heat[f].jobs |= uint64_t{1} << (kMostJobs - 1 - job);
    }
  }
  return heat;
}

// Adds the streams of one feature after another.
class Placer {
 public:
  Placer(std::span<const ClusteredFeature> features, const FileLayout& layout)
      : features_(features),
        layout_(layout),
        index_placed_(layout.groups.size(), false),
        dictionary_placed_(layout.id_spaces.size(), false) {}

  void Place(uint32_t f) {
    PlaceIndex(layout_.features[f].group);
    const uint32_t first = layout_.features[f].first_column;
    const std::span columns(layout_.columns.data() + first,
                            features_[f].source().spec->columns.size());
    for (const ColumnLayout& column : columns) {
      if (column.id_space == kNone16 || dictionary_placed_[column.id_space]) continue;
      dictionary_placed_[column.id_space] = true;
      order_.push_back(layout_.id_spaces[column.id_space].dictionary_slot);
    }
    order_.push_back(columns[0].shape_slot);
    if (columns[0].windows_slot != kNone32) order_.push_back(columns[0].windows_slot);
    for (const ColumnLayout& column : columns) {
      for (uint32_t tier = 0; tier < column.num_tiers; ++tier)
        order_.push_back(column.slot_of_tier(tier));
    }
  }

  std::vector<uint32_t> Take() { return std::move(order_); }

 private:
  // Who reads the index of a group may need that of its parent.
  void PlaceIndex(uint32_t group) {
    if (index_placed_[group]) return;
    index_placed_[group] = true;
    const GroupLayout& of = layout_.groups[group];
    if (of.parent != 0) PlaceIndex(of.parent);
    if (of.index_slot != kNone32) order_.push_back(of.index_slot);
  }

  std::span<const ClusteredFeature> features_;
  const FileLayout& layout_;
  std::vector<bool> index_placed_;
  std::vector<bool> dictionary_placed_;
  std::vector<uint32_t> order_;
};

}  // namespace

std::vector<uint32_t> OrderStorage(std::span<const ClusteredFeature> features,
                                   const FileLayout& layout, std::span<const FeatureUse> uses) {
  std::vector<uint32_t> order;
  for (size_t at = 1; at <= layout.groups.size(); ++at) {
    const GroupLayout& group = layout.groups[at % layout.groups.size()];  // Rows come last.
    order.insert(order.end(), group.features.begin(), group.features.end());
  }
  const std::vector<Heat> heat = HeatOf(features, uses);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (heat[a].times != heat[b].times) return heat[a].times > heat[b].times;
    return heat[a].jobs > heat[b].jobs;
  });
  Placer placer(features, layout);
  for (const uint32_t f : order) placer.Place(f);
  return placer.Take();
}

}  // namespace dsi::internal
