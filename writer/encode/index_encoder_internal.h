// The inverse index of one dedup group in one stripe: which rows are stored, in which order, and
// how the index itself is encoded (spec D-001, D-005, D-006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/find_groups_internal.h"
#include "dsi/writer/cluster/clustered_feature_internal.h"
#include "dsi/writer/encode/stream_encoder_internal.h"

namespace dsi::internal {

struct GroupIndex {
  StripeGroupRecord record;
  // Rows of the stripe that are stored, by unique row; empty in form 0 (every row).
  std::vector<uint32_t> stored_rows;
  std::vector<uint32_t> inverse;  // Per row its unique row; kept for groups that others refer to.
  EncodedStream stream;
};

struct GroupIndexInput {
  std::span<const ClusteredFeature* const> features;
  GroupRepeats repeats = GroupRepeats::kRuns;
  const GroupIndex* parent = nullptr;      // With its inverse.
  std::span<const uint32_t> rows_in_time;  // The stripe's rows, oldest first.
  // The same as readers can tell them (D-006); empty where the group must not be of form 6.
  std::span<const uint32_t> rows_by_time_column;
  bool keep_inverse = false;
  uint32_t first = 0;  // Row of the file; the stripe is [first, first + num_rows).
  uint32_t num_rows = 0;
  uint32_t page_values = 0;
  uint32_t index_slot = 0;
  PlanMemory* plans = nullptr;
};

// Finds the unique rows of the features in the stripe and picks the form that costs least among
// those that the group's kind of repeats allows; form 0 where dedup does not pay.
GroupIndex BuildGroupIndex(const GroupIndexInput& input, const StreamTuning& tuning);

}  // namespace dsi::internal
