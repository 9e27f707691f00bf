// What is stored of one feature in one stripe: its shape, its windows where they pay, and the
// values of its columns, one after another or as a pool, which may be spread over tiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dsi/dedup/windows_internal.h"
#include "dsi/writer/cluster/clustered_feature_internal.h"
#include "dsi/writer/encode/index_encoder_internal.h"
#include "dsi/writer/encode/stream_encoder_internal.h"

namespace dsi::internal {

struct WindowOptions {
  RememberedPlan* plan = nullptr;  // Of their codes.
  uint32_t num_tiers = 1;          // Spread pools over so many tiers (D-014) where that helps.
  uint32_t page_values = 0;
};

class FeatureValues {
 public:
  // Rows [first, first + num_rows) of the file; `index` says which of them are stored. All must
  // outlive this. Looks for windows (D-013) where these are asked for.
  FeatureValues(const ClusteredFeature& feature, const GroupIndex& index, uint32_t first,
                uint32_t num_rows, bool has_windows);

  // Before all others, once, where windows were looked for: keeps them if they pay, and gives their
  // codes encoded; empty where values stand one after another.
  EncodedStream EncodeWindows(const WindowOptions& options, const StreamTuning& tuning);

  // Shape codes of the stored rows (D-010).
  std::vector<uint32_t> Shape() const;
  // Values of a column, or of one tier of it. Takes them out where they are a pool: once.
  std::vector<std::byte> TakeValues(uint32_t column, uint32_t tier);
  // As TakeValues, of a column without tiers; they stay. Empty where they are fewer or more.
  std::vector<std::byte> CopyValues(uint32_t column, uint64_t fewest, uint64_t most) const;

 private:
  // What SpreadTiers did to the pool, if anything: its reach.
  std::optional<uint32_t> SpreadTiers(uint32_t num_tiers);

  const ClusteredFeature& feature_;
  const GroupIndex& index_;
  uint32_t first_;
  uint32_t num_rows_;
  Windows windows_;  // Until they are encoded.
  // Per column and tier; without windows empty, untiered only tier 0.
  std::vector<std::vector<std::vector<std::byte>>> pool_;
};

}  // namespace dsi::internal
