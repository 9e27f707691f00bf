// What is fixed for the whole file: columns, dedup groups, id spaces, the slot of every stream
// (spec F-076), and the order in which streams lie in a stripe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/dedup/find_groups_internal.h"
#include "dsi/format/feature_use.h"
#include "dsi/format/schema.h"
#include "dsi/format/wire_internal.h"
#include "dsi/writer/cluster/clustered_feature_internal.h"
#include "dsi/writer/cluster/row_sample_internal.h"

namespace dsi::internal {

struct ColumnLayout {
  uint32_t feature = 0;
  uint32_t column = 0;  // Within the feature.
  uint32_t shape_slot = 0;
  uint32_t values_slot = 0;
  uint32_t windows_slot = kNone32;  // Of the feature; none where windows are not looked for.
  uint32_t tiers_slot = kNone32;    // Of its tier 1; the others follow.
  uint32_t num_tiers = 1;

  uint32_t slot_of_tier(uint32_t tier) const {
    return tier == 0 ? values_slot : tiers_slot + tier - 1;
  }
  uint16_t id_space = kNone16;
};

struct FeatureLayout {
  uint32_t first_column = 0;  // Ordinal of its leader.
  uint32_t group = 0;
};

struct GroupLayout {
  std::string name;
  uint8_t source = 0;  // F-073.
  uint32_t index_slot = kNone32;
  uint32_t owner_column = kNone32;
  GroupRepeats repeats = GroupRepeats::kRuns;
  uint32_t parent = 0;        // Ordinal of the group that its index may refer to; 0 none.
  bool is_parent = false;     // Other groups refer to it.
  uint32_t chain_length = 1;  // Of itself, its parent, that one's parent and so on.
  std::vector<uint32_t> features;
};

struct IdSpaceLayout {
  std::string name;  // Empty: found, or one column's own.
  uint32_t dictionary_slot = 0;
  int width = 8;
  std::vector<uint32_t> columns;
};

struct FileLayout {
  std::vector<ColumnLayout> columns;
  std::vector<FeatureLayout> features;
  std::vector<GroupLayout> groups;  // 0: the rows.
  std::vector<IdSpaceLayout> id_spaces;
  uint32_t num_slots = 0;
  // Slots in the order in which their pages are written: what is read together lies together.
  std::vector<uint32_t> storage_order;
};

// Columns of ids that are found to share a dictionary have so many bytes in a stripe together, as
// all of them are in memory when it is chosen.
inline constexpr uint64_t kMostSharedBytes = 512ULL << 20;

struct LayoutOptions {
  bool dedup = true;
  bool find_groups = true;
  uint32_t most_id_spaces = kMaxIdSpaces;
  uint64_t most_shared_bytes = kMostSharedBytes;  // In all stripes.
  std::span<const FeatureUse> uses = {};
  ForEach for_each = OneByOne;
};

// Of the sample for the layout of a file: what they take while groups are searched for is bounded.
uint32_t MostSampleRows(size_t num_features);

// Decides the layout by looking at some rows. kResourceExhausted: more streams than F-090 allows;
// errors of for_each.
Result<FileLayout> PlanFileLayout(const Schema& schema, std::span<const ClusteredFeature> features,
                                  const RowSample& sample, const LayoutOptions& options);

}  // namespace dsi::internal
