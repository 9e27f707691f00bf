// What is stored of one feature in one stripe: its shape, its windows where they pay, and the
// values of its columns, one after another or as a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/writer/clustered_feature_internal.h"
#include "dsi/writer/group_index_internal.h"
#include "dsi/writer/stream_encoder_internal.h"

namespace dsi::internal {

class FeatureValues {
 public:
  // Rows [first, first + num_rows) of the file; `index` says which of them are stored. Windows are
  // looked for if `windows`. All must outlive this.
  FeatureValues(const ClusteredFeature& feature, const GroupIndex& index, uint32_t first,
                uint32_t num_rows, bool windows, uint32_t page_values, const EncodeTuning& tuning);

  // Shape codes of the stored rows (D-010).
  std::vector<uint32_t> Shape() const;
  // Codes of the windows (D-013), encoded; empty where values stand one after another.
  EncodedStream& windows() { return windows_; }
  // Values of a column. Takes them out where they are a pool: once per column.
  std::vector<std::byte> TakeValues(uint32_t column);

 private:
  const ClusteredFeature& feature_;
  const GroupIndex& index_;
  uint32_t first_;
  uint32_t num_rows_;
  EncodedStream windows_;
  std::vector<std::vector<std::byte>> pool_;  // Per column; empty without windows.
};

}  // namespace dsi::internal
