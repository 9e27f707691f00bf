#include "dsi/writer/layout/file_layout_internal.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dsi/dedup/tiers_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/slots_internal.h"
#include "dsi/writer/cluster/gather_internal.h"
#include "dsi/writer/layout/find_id_spaces_internal.h"
#include "dsi/writer/layout/group_layout_internal.h"
#include "dsi/writer/layout/storage_order_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMinIdsForDictionary =
    1'024;  // Fewer ids in the first stripe get no dictionary stream of their own.
constexpr uint64_t kSketchedIds = 1U << 18;  // Of a column, that are looked at.
constexpr size_t kMinIdsForWindows = 4'096;  // Fewer are not worth a stream of windows.

// Lists of two entries and more on average; whether windows pay is found stripe by stripe.
bool MayHaveWindows(const ClusteredFeature& feature) {
  const FeatureTotals& totals = *feature.source().totals;
  return IsListKind(feature.source().spec->kind) && totals.num_entries >= kMinIdsForWindows &&
         totals.num_entries >= 2 * totals.num_present;
}

// Lists that are so long that many read only their newest entries are spread over tiers, the last
// of which begins below half of the greatest length.
uint32_t CountTiers(const ClusteredFeature& feature) {
  constexpr uint64_t kShortest = 192;
  const uint64_t longest = feature.source().totals->longest;
  if (longest < kShortest) return 1;
  uint32_t tiers = 2;
  while (tiers < kMaxTiers && TierBegin(tiers) * 2 <= longest) ++tiers;
  return tiers;
}

// A column of ids whose space is not declared: its entries are the measure of what a dictionary may
// save. A list that is large enough has one of its own; a key shares that of lists or has none.
uint64_t IdsOf(const ClusteredFeature& feature, const ColumnSpec& spec) {
  const Kind kind = feature.source().spec->kind;
  const bool is_id = IsInteger(spec.type) && TypeWidth(spec.type) >= 4 && spec.id_space.empty();
  if (!is_id || (kind != Kind::kKey && !IsListKind(kind))) return 0;
  const uint64_t entries = feature.source().totals->num_entries;
  return entries < kMinIdsForDictionary ? 0 : entries;
}

// A column of ids, and those whose space it shares, if any.
struct IdColumn {
  uint64_t entries = 0;
  uint32_t column = 0;
  bool is_key = false;
  uint32_t space = 0;  // Equal where columns share one.
};

// Those that may have a dictionary, by what they have in common in the sample.
Result<std::vector<IdColumn>> FindIdColumns(std::span<const ClusteredFeature> features,
                                            const RowSample& sample, const LayoutOptions& options,
                                            std::span<const ColumnLayout> columns) {
  std::vector<IdColumn> found;
  for (uint32_t c = 0; c < columns.size(); ++c) {
    const FeatureSource& source = features[columns[c].feature].source();
    const uint64_t ids =
        IdsOf(features[columns[c].feature], source.spec->columns[columns[c].column]);
    if (ids != 0) found.push_back({ids, c, source.spec->kind == Kind::kKey});
  }
  std::vector<IdSketch> sketches(found.size());
  DSI_RETURN_IF_ERROR(options.for_each(found.size(), [&](size_t i) {
    const ColumnLayout& column = columns[found[i].column];
    const Type type = features[column.feature].source().spec->columns[column.column].type;
    const std::vector<std::byte> ids =
        GatherPieces(features[column.feature].MakeRows(sample), column.column, kSketchedIds);
    const auto width = static_cast<size_t>(TypeWidth(type));
    sketches[i] = SketchIds(ids.data(), ids.size() / width, TypeWidth(type), IsSignedInteger(type));
    sketches[i].bytes = found[i].entries * width;
  }));
  const std::vector<uint32_t> spaces = FindIdSpaces(sketches, options.most_shared_bytes);
  std::vector<bool> has_list(found.size(), false);
  for (size_t i = 0; i < found.size(); ++i) {
    found[i].space = spaces[i];
    if (!found[i].is_key) has_list[spaces[i]] = true;
  }
  std::erase_if(found, [&](const IdColumn& ids) { return !has_list[ids.space]; });
  return found;
}

// Declared id spaces, and those of lists of ids that are large enough: the largest, where there are
// more than can be numbered.
Status AssignIdSpaces(std::span<const ClusteredFeature> features, const RowSample& sample,
                      const LayoutOptions& options, FileLayout* layout) {
  const auto spec_of = [&](const ColumnLayout& column) -> const ColumnSpec& {
    return features[column.feature].source().spec->columns[column.column];
  };
  DSI_ASSIGN_OR_RETURN(std::vector<IdColumn> found,
                       FindIdColumns(features, sample, options, layout->columns));
  std::set<std::string_view> declared;
  for (const ColumnLayout& column : layout->columns) {
    if (!spec_of(column).id_space.empty()) declared.insert(spec_of(column).id_space);
  }
  std::map<uint32_t, uint64_t> entries_of;
  for (const IdColumn& ids : found) entries_of[ids.space] += ids.entries;
  std::vector<std::pair<uint64_t, uint32_t>> largest;
  for (const auto& [space, entries] : entries_of) largest.emplace_back(entries, space);
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  largest.resize(std::min<size_t>(largest.size(), options.most_id_spaces - declared.size()));
  std::set<uint32_t> kept;
  for (const auto& [entries, space] : largest) kept.insert(space);
  std::erase_if(found, [&](const IdColumn& ids) { return !kept.contains(ids.space); });

  std::map<std::string_view, uint16_t> by_name;
  std::map<uint32_t, uint16_t> by_space;
  auto next = found.begin();
  for (uint32_t c = 0; c < layout->columns.size(); ++c) {
    const ColumnSpec& spec = spec_of(layout->columns[c]);
    const bool is_found = next != found.end() && next->column == c;
    if (spec.id_space.empty() && !is_found) continue;
    const auto fresh = static_cast<uint16_t>(layout->id_spaces.size());
    const uint16_t ordinal = is_found ? by_space.try_emplace(next->space, fresh).first->second
                                      : by_name.try_emplace(spec.id_space, fresh).first->second;
    if (is_found) ++next;
    if (ordinal == fresh) {
      layout->id_spaces.push_back(
          {.name = spec.id_space, .width = TypeWidth(spec.type), .columns = {}});
    }
    layout->id_spaces[ordinal].columns.push_back(c);
    layout->columns[c].id_space = ordinal;
  }
  return Status::Ok();
}

// F-076. Tiers follow one another in the order of columns.
void AssignSlots(std::span<const ClusteredFeature> features, bool windows, FileLayout* layout) {
  const SlotCounts slots{static_cast<uint32_t>(layout->columns.size()),
                         static_cast<uint32_t>(layout->id_spaces.size()),
                         static_cast<uint32_t>(layout->groups.size())};
  for (uint32_t g = 1; g < layout->groups.size(); ++g)
    layout->groups[g].index_slot = slots.index(g);
  for (uint32_t i = 0; i < layout->id_spaces.size(); ++i)
    layout->id_spaces[i].dictionary_slot = slots.dictionary(i);
  layout->num_slots = slots.first_tier();
  for (uint32_t f = 0; f < features.size(); ++f) {
    const bool may_have_windows = windows && MayHaveWindows(features[f]);
    const uint32_t num_tiers = may_have_windows ? CountTiers(features[f]) : 1;
    const uint32_t leader = layout->features[f].first_column;
    for (uint32_t c = 0; c < features[f].source().spec->columns.size(); ++c) {
      ColumnLayout& column = layout->columns[leader + c];
      column.values_slot = ValuesSlot(leader + c);
      column.shape_slot = ShapeSlot(leader);
      if (may_have_windows) column.windows_slot = WindowsSlot(leader);
      if (num_tiers == 1) continue;
      column.num_tiers = num_tiers;
      column.tiers_slot = layout->num_slots;
      layout->num_slots += num_tiers - 1;
    }
  }
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
  DSI_RETURN_IF_ERROR(AssignIdSpaces(features, sample, options, &layout));
  AssignSlots(features, options.dedup, &layout);
  layout.storage_order = OrderStorage(features, layout, options.uses);
  if (layout.num_slots > kMaxSlots) {
    return Error(
        StatusCode::kResourceExhausted,
        "{} streams in a stripe, expected at most {}: write fewer features per file (F-090)",
        layout.num_slots, kMaxSlots);
  }
  return layout;
}

}  // namespace dsi::internal
