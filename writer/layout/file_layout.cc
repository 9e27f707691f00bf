#include "dsi/writer/layout/file_layout_internal.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dsi/dedup/tiers_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/writer/layout/group_layout_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMinIdsForDictionary =
    1'024;  // Fewer ids in the first stripe get no dictionary stream of their own.
constexpr size_t kMinIdsForWindows = 4'096;  // Fewer are not worth a stream of windows.
constexpr uint64_t kFeatureGroupBytes =
    4ULL << 20;  // Rows' own features: raw bytes per feature group, for segments of about 1 MiB.

// Lists of two entries and more on average; whether windows pay is found stripe by stripe.
bool MayHaveWindows(const ClusteredFeature& feature) {
  const FeatureSource& source = feature.source();
  const size_t entries = feature.CountEntries();
  return IsListKind(source.spec->kind) && entries >= kMinIdsForWindows &&
         entries >= 2 * source.rows->num_present;
}

// Lists that are so long that many read only their newest entries are spread over tiers, the last
// of which begins below half of the greatest length.
uint32_t CountTiers(const ClusteredFeature& feature) {
  constexpr uint64_t kShortest = 192;
  const std::vector<uint32_t>& lengths = feature.source().rows->lengths;
  const uint64_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  if (longest < kShortest) return 1;
  uint32_t tiers = 2;
  while (tiers < kMaxTiers && TierBegin(tiers) * 2 <= longest) ++tiers;
  return tiers;
}

// Of a list of ids whose space is not declared, where it is large enough for one of its own: its
// entries, the measure of what a dictionary may save.
size_t IdsOfOwn(const ClusteredFeature& feature, const ColumnSpec& spec) {
  const bool is_id = IsInteger(spec.type) && TypeWidth(spec.type) >= 4 && spec.id_space.empty();
  if (!is_id || !IsListKind(feature.source().spec->kind)) return 0;
  const size_t entries = feature.CountEntries();
  return entries < kMinIdsForDictionary ? 0 : entries;
}

// Declared id spaces, and one of its own for each list of ids that is large enough: the largest,
// where there are more than can be numbered.
void AssignIdSpaces(std::span<const ClusteredFeature> features, uint32_t most, FileLayout* layout) {
  std::set<std::string_view> declared;
  std::vector<std::pair<size_t, uint32_t>> own;  // Entries and columns.
  const auto spec_of = [&](const ColumnLayout& column) -> const ColumnSpec& {
    return features[column.feature].source().spec->columns[column.column];
  };
  for (uint32_t c = 0; c < layout->columns.size(); ++c) {
    const ColumnSpec& spec = spec_of(layout->columns[c]);
    if (!spec.id_space.empty()) declared.insert(spec.id_space);
    const size_t ids = IdsOfOwn(features[layout->columns[c].feature], spec);
    if (ids != 0) own.emplace_back(ids, c);
  }
  std::stable_sort(own.begin(), own.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  own.resize(std::min<size_t>(own.size(), most - declared.size()));
  std::vector<bool> has_own(layout->columns.size(), false);
  for (const auto& [ids, c] : own) has_own[c] = true;
  std::map<std::string_view, uint16_t> by_name;
  for (uint32_t c = 0; c < layout->columns.size(); ++c) {
    const ColumnSpec& spec = spec_of(layout->columns[c]);
    if (spec.id_space.empty() && !has_own[c]) continue;
    auto ordinal = static_cast<uint16_t>(layout->id_spaces.size());
    if (!spec.id_space.empty()) ordinal = by_name.try_emplace(spec.id_space, ordinal).first->second;
    if (ordinal == layout->id_spaces.size()) {
      layout->id_spaces.push_back(
          {.name = spec.id_space, .width = TypeWidth(spec.type), .columns = {}});
    }
    layout->id_spaces[ordinal].columns.push_back(c);
    layout->columns[c].id_space = ordinal;
  }
}

// Numbers slots in storage order: group by group, its index first; a dictionary just before the
// first column that uses it.
void AssignSlots(std::span<const ClusteredFeature> features, bool windows, FileLayout* layout) {
  std::vector<bool> placed(layout->id_spaces.size(), false);
  uint32_t slot = 0;
  uint32_t feature_group = 0;
  const auto place = [&](uint32_t f) {
    const uint32_t first = layout->features[f].first_column;
    const auto num_columns = static_cast<uint32_t>(features[f].source().spec->columns.size());
    for (uint32_t c = first; c < first + num_columns; ++c) {
      const uint16_t space = layout->columns[c].id_space;
      if (space == kNone16 || placed[space]) continue;
      placed[space] = true;
      layout->id_spaces[space].dictionary_slot = slot++;
    }
    const uint32_t shape_slot = slot++;
    const uint32_t windows_slot = windows && MayHaveWindows(features[f]) ? slot++ : kNone32;
    for (uint32_t c = first; c < first + num_columns; ++c) {
      layout->columns[c].shape_slot = shape_slot;
      layout->columns[c].windows_slot = windows_slot;
      layout->columns[c].values_slot = slot++;
      if (windows_slot == kNone32) continue;
      const uint32_t num_tiers = CountTiers(features[f]);
      if (num_tiers == 1) continue;
      layout->columns[c].num_tiers = num_tiers;
      layout->columns[c].tiers_slot = slot;
      slot += num_tiers - 1;
    }
    layout->features[f].feature_group = feature_group;
  };
  for (size_t g = 1; g < layout->groups.size(); ++g) {
    layout->groups[g].index_slot = slot++;
    for (const uint32_t f : layout->groups[g].features) place(f);
    ++feature_group;
  }
  uint64_t bytes = 0;
  for (const uint32_t f : layout->groups[0].features) {
    place(f);
    for (const auto& values : features[f].source().rows->values) bytes += values.size();
    if (bytes >= kFeatureGroupBytes) {
      ++feature_group;
      bytes = 0;
    }
  }
  layout->num_slots = slot;
}

}  // namespace

uint32_t MostSampleRows(size_t num_features) {
  constexpr uint64_t kSampleBytes = 1ULL << 30;
  constexpr uint64_t kMostRows = 262'144;
  constexpr uint64_t kFewestRows = 1'024;
  const uint64_t per_row =
      std::max<size_t>(num_features, 1) * (sizeof(uint32_t) + sizeof(uint64_t));
  return static_cast<uint32_t>(std::clamp(kSampleBytes / per_row, kFewestRows, kMostRows));
}

Result<FileLayout> PlanFileLayout(const Schema& schema, std::span<const ClusteredFeature> features,
                                  const RowSample& sample, const LayoutOptions& options) {
  FileLayout layout;
  layout.features.resize(features.size());
  for (uint32_t f = 0; f < features.size(); ++f) {
    layout.features[f].first_column = static_cast<uint32_t>(layout.columns.size());
    for (uint32_t c = 0; c < features[f].source().spec->columns.size(); ++c)
      layout.columns.push_back({.feature = f, .column = c});
  }
  DSI_RETURN_IF_ERROR(AssignGroups(schema, features, sample, options, &layout));
  for (uint32_t f = 0; f < features.size(); ++f) {
    if (layout.features[f].group == 0) layout.groups[0].features.push_back(f);
  }
  AssignIdSpaces(features, options.most_id_spaces, &layout);
  AssignSlots(features, options.dedup, &layout);
  if (layout.num_slots > kMaxSlots) {
    return Error(
        StatusCode::kResourceExhausted,
        "{} streams in a stripe, expected at most {}: write fewer features per file (F-090)",
        layout.num_slots, kMaxSlots);
  }
  return layout;
}

}  // namespace dsi::internal
