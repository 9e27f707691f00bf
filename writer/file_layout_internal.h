// What is fixed for the whole file: columns, dedup groups, id spaces, and the slot of every stream.
// Slots are numbered in the order in which streams lie in a stripe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/format/wire_internal.h"
#include "dsi/writer/clustered_feature_internal.h"

namespace dsi::internal {

struct ColumnLayout {
  uint32_t feature = 0;
  uint32_t column = 0;  // Within the feature.
  uint32_t shape_slot = 0;
  uint32_t values_slot = 0;
  uint16_t id_space = kNone16;
};

struct FeatureLayout {
  uint32_t first_column = 0;  // Ordinal of its leader.
  uint32_t group = 0;
  uint32_t feature_group = 0;
};

struct GroupLayout {
  std::string name;
  uint8_t source = 0;  // F-073.
  uint32_t index_slot = kNone32;
  uint32_t owner_column = kNone32;
  bool anywhere = false;  // Repeats are looked for anywhere in a stripe, not only in runs.
  std::vector<uint32_t> features;
};

struct IdSpaceLayout {
  std::string name;  // Empty: one column's own.
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
};

struct LayoutOptions {
  bool dedup = true;
  bool find_groups = true;
};

// Decides the layout by looking at the rows of the first stripe, [0, num_rows). kInvalidArgument:
// an id space whose columns differ in width.
Result<FileLayout> PlanFileLayout(const Schema& schema, std::span<const ClusteredFeature> features,
                                  uint32_t num_rows, const LayoutOptions& options);

}  // namespace dsi::internal
