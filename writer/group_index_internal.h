// The inverse index of one dedup group in one stripe: which rows are stored, and how the index
// itself is encoded (spec D-001).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/writer/clustered_feature_internal.h"
#include "dsi/writer/stream_encoder_internal.h"

namespace dsi::internal {

struct GroupIndex {
  StripeGroupRecord record;
  std::vector<uint32_t>
      stored_rows;  // Rows of the stripe that are stored, ascending; empty in form 0 (every row).
  EncodedStream stream;
};

// Finds the unique rows of the features in rows [first, first + num_rows) and picks the form that
// costs least; form 0 where dedup does not pay.
GroupIndex BuildGroupIndex(std::span<const ClusteredFeature* const> features, bool anywhere,
                           uint32_t first, uint32_t num_rows, uint32_t page_values,
                           const EncodeTuning& tuning);

}  // namespace dsi::internal
