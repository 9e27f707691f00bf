#include "dsi/writer/file_layout_internal.h"

#include <algorithm>
#include <map>

#include "dsi/dedup/find_groups_internal.h"
#include "dsi/dedup/tiers_internal.h"
#include "dsi/format/error_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kSampleBytes =
    1ULL << 30;  // Memory for the rows that the search for groups looks at.
constexpr uint32_t kMaxSampleRows = 262'144;
constexpr size_t kMinIdsForDictionary =
    1'024;  // Fewer ids in the first stripe get no dictionary stream of their own.
constexpr size_t kMinIdsForWindows = 4'096;  // Fewer are not worth a stream of windows.
constexpr uint64_t kFeatureGroupBytes =
    4ULL << 20;  // Rows' own features: raw bytes per feature group, for segments of about 1 MiB.

size_t CountEntries(const ClusteredFeature& feature) {
  const RowBatch::FeatureBuffer& rows = *feature.source().rows;
  return rows.values[0].size() /
         static_cast<size_t>(TypeWidth(feature.source().spec->columns[0].type));
}

// Average bits of one stored row: ids and floats count about 20 bits once packed.
double BitsPerRow(const ClusteredFeature& feature, size_t num_present, size_t total_rows) {
  double bits = 0;
  for (const ColumnSpec& column : feature.source().spec->columns)
    bits += std::min(TypeWidth(column.type) * 8, 20);
  const double entries = feature.source().rows->num_present == 0
                             ? 0
                             : static_cast<double>(CountEntries(feature)) /
                                   static_cast<double>(feature.source().rows->num_present);
  return bits * entries * static_cast<double>(num_present) /
         static_cast<double>(std::max<size_t>(total_rows, 1));
}

bool MayBeKey(const ClusteredFeature& feature) {
  const FeatureSpec& spec = *feature.source().spec;
  if (spec.kind == Kind::kKey) return true;
  if (spec.kind != Kind::kList || !IsInteger(spec.columns[0].type)) return false;
  const std::vector<uint32_t>& lengths = feature.source().rows->lengths;
  return !lengths.empty() &&
         std::all_of(lengths.begin(), lengths.end(), [](uint32_t n) { return n == 1; });
}

// Lists of two entries and more on average; whether windows pay is found stripe by stripe.
bool MayHaveWindows(const ClusteredFeature& feature) {
  const FeatureSource& source = feature.source();
  const size_t entries = CountEntries(feature);
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

// Group of each feature: those declared, and those found on the first rows.
Status AssignGroups(const Schema& schema, std::span<const ClusteredFeature> features,
                    uint32_t num_rows, std::span<const uint32_t> time_rank,
                    const LayoutOptions& options, FileLayout* layout) {
  layout->groups.emplace_back();  // F-073: the group of rows.
  if (!options.dedup || num_rows == 0) return Status::Ok();
  std::vector<int> declared(features.size(), -1);
  for (size_t g = 0; g < schema.groups.size(); ++g) {
    for (const std::string& name : schema.groups[g].features) {
      declared[static_cast<size_t>(schema.FindFeature(name))] = static_cast<int>(g);
    }
  }
  const uint64_t per_row = features.size() * (sizeof(uint32_t) + sizeof(uint64_t));
  const auto sample = static_cast<uint32_t>(std::min<uint64_t>(
      {num_rows, kMaxSampleRows,
       std::max<uint64_t>(kSampleBytes / std::max<uint64_t>(per_row, 1), 1'024)}));

  std::vector<uint32_t> candidate_feature;
  for (uint32_t f = 0; f < features.size(); ++f) {
    if (declared[f] >= 0 || (options.find_groups && features[f].CountPresent(0, sample) != 0))
      candidate_feature.push_back(f);
  }
  std::vector<ClusteredFeature::Slice> slices(candidate_feature.size());
  std::vector<GroupCandidate> candidates(candidate_feature.size());
  DSI_RETURN_IF_ERROR(options.for_each(candidates.size(), [&](size_t i) {
    const ClusteredFeature& feature = features[candidate_feature[i]];
    slices[i] = feature.MakeSlice(0, sample);
    candidates[i] = {
        .column = &slices[i].column,
        .bits_per_row = BitsPerRow(feature, feature.CountPresent(0, sample), sample),
        .is_key = MayBeKey(feature),
        .declared_group = declared[candidate_feature[i]],
    };
  }));
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].declared_group < 0) continue;
    const std::string& owner =
        schema.groups[static_cast<size_t>(candidates[i].declared_group)].owner;
    const int feature = owner.empty() ? -1 : schema.FindFeature(owner);
    const auto at = std::find(candidate_feature.begin(), candidate_feature.end(),
                              static_cast<uint32_t>(feature));
    if (feature >= 0 && at != candidate_feature.end())
      candidates[i].declared_owner = static_cast<int>(at - candidate_feature.begin());
  }
  DSI_ASSIGN_OR_RETURN(
      const std::vector<FoundGroup> groups,
      FindGroups(candidates, sample, RowsInTime(time_rank.first(sample)), options.for_each));
  for (const FoundGroup& found : groups) {
    GroupLayout group;
    group.source = found.declared >= 0 ? 1 : 2;
    group.repeats = found.repeats;
    // A parent only saves bytes: where its chain is as long as F-073 allows, the group has none.
    if (found.parent >= 0 &&
        layout->groups[static_cast<size_t>(found.parent) + 1].chain_length < kMaxGroupChain) {
      group.parent = static_cast<uint32_t>(found.parent) + 1;
      GroupLayout& parent = layout->groups[group.parent];
      parent.is_parent = true;
      group.chain_length = parent.chain_length + 1;
    }
    if (found.declared >= 0) group.name = schema.groups[static_cast<size_t>(found.declared)].name;
    for (const uint32_t member : found.members) group.features.push_back(candidate_feature[member]);
    std::sort(group.features.begin(), group.features.end());
    const auto ordinal = static_cast<uint32_t>(layout->groups.size());
    for (const uint32_t f : group.features) layout->features[f].group = ordinal;
    if (found.owner >= 0) {
      group.owner_column =
          layout->features[candidate_feature[static_cast<size_t>(found.owner)]].first_column;
    } else if (found.declared >= 0 &&
               !schema.groups[static_cast<size_t>(found.declared)].owner.empty()) {
      const int owner =
          schema.FindFeature(schema.groups[static_cast<size_t>(found.declared)].owner);
      if (owner >= 0)
        group.owner_column = layout->features[static_cast<size_t>(owner)].first_column;
    }
    layout->groups.push_back(std::move(group));
  }
  return Status::Ok();
}

// Declared id spaces, and one of its own for each list of ids that is large enough.
Status AssignIdSpaces(std::span<const ClusteredFeature> features, FileLayout* layout) {
  std::map<std::string, uint16_t> by_name;
  for (uint32_t c = 0; c < layout->columns.size(); ++c) {
    ColumnLayout& column = layout->columns[c];
    const ClusteredFeature& feature = features[column.feature];
    const ColumnSpec& spec = feature.source().spec->columns[column.column];
    const int width = TypeWidth(spec.type);
    const bool worthwhile =
        IsListKind(feature.source().spec->kind) && CountEntries(feature) >= kMinIdsForDictionary;
    if (!IsInteger(spec.type) || width < 4 || (spec.id_space.empty() && !worthwhile)) continue;
    if (layout->id_spaces.size() >= kNone16 - 1) continue;  // The rest do without.
    auto ordinal = static_cast<uint16_t>(layout->id_spaces.size());
    if (!spec.id_space.empty()) {
      const auto [it, inserted] = by_name.try_emplace(spec.id_space, ordinal);
      ordinal = it->second;
    }
    if (ordinal == layout->id_spaces.size())
      layout->id_spaces.push_back({.name = spec.id_space, .width = width, .columns = {}});
    IdSpaceLayout& space = layout->id_spaces[ordinal];
    if (space.width != width) {
      return InvalidArgument("id space \"{}\": column \"{}\" has {} bytes per id, others have {}",
                             spec.id_space, ColumnName(*feature.source().spec, column.column),
                             width, space.width);
    }
    space.columns.push_back(c);
    column.id_space = ordinal;
  }
  return Status::Ok();
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

Result<FileLayout> PlanFileLayout(const Schema& schema, std::span<const ClusteredFeature> features,
                                  uint32_t num_rows, std::span<const uint32_t> time_rank,
                                  const LayoutOptions& options) {
  FileLayout layout;
  layout.features.resize(features.size());
  for (uint32_t f = 0; f < features.size(); ++f) {
    layout.features[f].first_column = static_cast<uint32_t>(layout.columns.size());
    for (uint32_t c = 0; c < features[f].source().spec->columns.size(); ++c)
      layout.columns.push_back({.feature = f, .column = c});
  }
  DSI_RETURN_IF_ERROR(AssignGroups(schema, features, num_rows, time_rank, options, &layout));
  for (uint32_t f = 0; f < features.size(); ++f) {
    if (layout.features[f].group == 0) layout.groups[0].features.push_back(f);
  }
  DSI_RETURN_IF_ERROR(AssignIdSpaces(features, &layout));
  AssignSlots(features, options.dedup, &layout);
  return layout;
}

}  // namespace dsi::internal
