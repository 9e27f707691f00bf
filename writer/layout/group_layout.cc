#include "dsi/writer/layout/group_layout_internal.h"

#include <algorithm>

namespace dsi::internal {
namespace {

// Average bits of one stored row: ids and floats count about 20 bits once packed.
double BitsPerRow(const ClusteredFeature& feature, size_t num_present, size_t total_rows) {
  double bits = 0;
  for (const ColumnSpec& column : feature.source().spec->columns)
    bits += std::min(TypeWidth(column.type) * 8, 20);
  const FeatureTotals& totals = *feature.source().totals;
  const double entries = totals.num_present == 0 ? 0
                                                 : static_cast<double>(totals.num_entries) /
                                                       static_cast<double>(totals.num_present);
  return bits * entries * static_cast<double>(num_present) /
         static_cast<double>(std::max<size_t>(total_rows, 1));
}

// A dense whole number may be an id that nobody called a key.
bool MayBeId(const ClusteredFeature& feature) {
  const FeatureSpec& spec = *feature.source().spec;
  return spec.kind == Kind::kDense && IsInteger(spec.columns[0].type) &&
         TypeWidth(spec.columns[0].type) >= 4;
}

// Of more numbers than a search tries keys most are counts, and counting their values takes long.
constexpr ptrdiff_t kMostIds = 32;

bool MayBeKey(const ClusteredFeature& feature) {
  const FeatureSpec& spec = *feature.source().spec;
  if (spec.kind == Kind::kKey) return true;
  if (spec.kind != Kind::kList || !IsInteger(spec.columns[0].type)) return false;
  const FeatureTotals& totals = *feature.source().totals;
  return totals.longest == 1 && totals.shortest == 1;
}

// The schema's groups by ordinals of features.
struct DeclaredGroups {
  std::vector<int> group_of;  // Per feature, -1 none.
  std::vector<int> owner_of;  // Per group: the feature, -1 none.
};

DeclaredGroups ResolveGroups(const Schema& schema, size_t num_features) {
  const FeatureIndex index(schema);
  DeclaredGroups declared{std::vector<int>(num_features, -1), {}};
  for (const GroupSpec& group : schema.groups) {
    for (const std::string& name : group.features) {
      declared.group_of[static_cast<size_t>(index.Find(name))] =
          static_cast<int>(declared.owner_of.size());
    }
    declared.owner_of.push_back(group.owner.empty() ? -1 : index.Find(group.owner));
  }
  return declared;
}

class GroupAssigner {
 public:
  GroupAssigner(const Schema& schema, std::span<const ClusteredFeature> features,
                FileLayout* layout)
      : schema_(schema),
        features_(features),
        layout_(*layout),
        declared_(ResolveGroups(schema, features.size())) {}

  // As declared, where no rows say more.
  void TakeDeclared() {
    for (size_t g = 0; g < schema_.groups.size(); ++g) {
      FoundGroup group;
      group.declared = static_cast<int>(g);
      Add(group, {});
    }
    for (uint32_t f = 0; f < features_.size(); ++f) {
      if (declared_.group_of[f] < 0) continue;
      layout_.features[f].group = static_cast<uint32_t>(declared_.group_of[f]) + 1;
      layout_.groups[layout_.features[f].group].features.push_back(f);
    }
  }

  Status Search(const RowSample& sample, const LayoutOptions& options) {
    std::vector<uint32_t> candidate_feature;
    std::vector<int> candidate_of(features_.size(), -1);
    for (uint32_t f = 0; f < features_.size(); ++f) {
      if (declared_.group_of[f] < 0 &&
          (!options.find_groups || features_[f].CountPresent(sample.ranges) == 0))
        continue;
      candidate_of[f] = static_cast<int>(candidate_feature.size());
      candidate_feature.push_back(f);
    }
    const bool ids = std::count_if(features_.begin(), features_.end(), MayBeId) <= kMostIds;
    std::vector<FeatureSlice> slices(candidate_feature.size());
    std::vector<GroupCandidate> candidates(candidate_feature.size());
    DSI_RETURN_IF_ERROR(options.for_each(candidates.size(), [&](size_t i) {
      const uint32_t f = candidate_feature[i];
      const ClusteredFeature& feature = features_[f];
      slices[i] = feature.MakeRows(sample);
      const int group = declared_.group_of[f];
      const int owner = group < 0 ? -1 : declared_.owner_of[static_cast<size_t>(group)];
      candidates[i] = {
          .column = &slices[i],
          .bits_per_row =
              BitsPerRow(feature, feature.CountPresent(sample.ranges), sample.num_rows()),
          .is_key = MayBeKey(feature) || (ids && MayBeId(feature)),
          .declared_group = group,
          .declared_owner = owner < 0 ? -1 : candidate_of[static_cast<size_t>(owner)],
      };
    }));
    DSI_ASSIGN_OR_RETURN(
        const std::vector<FoundGroup> groups,
        FindGroups(candidates, sample.num_rows(), sample.rows_in_time, options.for_each));
    for (const FoundGroup& found : groups) Add(found, candidate_feature);
    return Status::Ok();
  }

 private:
  void Add(const FoundGroup& found, std::span<const uint32_t> candidate_feature) {
    const auto ordinal = static_cast<uint32_t>(layout_.groups.size());
    GroupLayout group;
    group.repeats = found.repeats;
    // A parent only saves bytes: where its chain is as long as F-073 allows, the group has none.
    if (found.parent >= 0 &&
        layout_.groups[static_cast<size_t>(found.parent) + 1].chain_length < kMaxGroupChain) {
      group.parent = static_cast<uint32_t>(found.parent) + 1;
      GroupLayout& parent = layout_.groups[group.parent];
      parent.is_parent = true;
      group.chain_length = parent.chain_length + 1;
    }
    for (const uint32_t member : found.members) group.features.push_back(candidate_feature[member]);
    std::sort(group.features.begin(), group.features.end());
    for (const uint32_t f : group.features) layout_.features[f].group = ordinal;
    group.source = 2;
    int owner = found.owner < 0
                    ? -1
                    : static_cast<int>(candidate_feature[static_cast<size_t>(found.owner)]);
    if (found.declared >= 0) {
      const auto declared = static_cast<size_t>(found.declared);
      group.name = schema_.groups[declared].name;
      group.source = declared_.owner_of[declared] < 0 && owner >= 0 ? 3 : 1;
      if (group.source == 1) owner = declared_.owner_of[declared];
    }
    if (owner >= 0) group.owner_column = layout_.features[static_cast<size_t>(owner)].first_column;
    layout_.groups.push_back(std::move(group));
  }

  const Schema& schema_;
  std::span<const ClusteredFeature> features_;
  FileLayout& layout_;
  DeclaredGroups declared_;
};

}  // namespace

Status AssignGroups(const Schema& schema, std::span<const ClusteredFeature> features,
                    const RowSample& sample, const LayoutOptions& options, FileLayout* layout) {
  layout->groups.emplace_back();  // F-073: the group of rows.
  GroupAssigner assigner(schema, features, layout);
  if (options.dedup && sample.num_rows() != 0) return assigner.Search(sample, options);
  assigner.TakeDeclared();
  return Status::Ok();
}

}  // namespace dsi::internal
