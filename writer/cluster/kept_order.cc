#include "dsi/writer/cluster/kept_order_internal.h"

#include <algorithm>

#include "dsi/writer/cluster/stripe_cuts_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kShare = 8;  // Of the memory, for a list.

}  // namespace

void AppendRowBytes(std::span<const FeatureSource> features, size_t first, size_t num_rows,
                    std::vector<uint32_t>* bytes) {
  for (const uint64_t row : RowBytes(features, num_rows, first))
    bytes->push_back(static_cast<uint32_t>(std::min<uint64_t>(row, UINT32_MAX)));
}

Result<RowList> KeptOrder(std::span<const uint32_t> row_bytes, const ClusterMemory& memory) {
  RowList rows(false, memory.bytes / kShare, memory.spill_folder);
  for (uint32_t i = 0; i < row_bytes.size(); ++i)
    DSI_RETURN_IF_ERROR(
        rows.Append({.input_row = i, .bytes = row_bytes[i], .fresh_bytes = row_bytes[i]}));
  return rows;
}

Result<RowList> KeptOrder(bool has_sessions, std::span<const ListedRow> listed,
                          const ClusterMemory& memory) {
  RowList rows(has_sessions, memory.bytes / kShare, memory.spill_folder);
  for (uint32_t i = 0; i < listed.size(); ++i) {
    ListedRow row = listed[i];
    row.input_row = i;
    DSI_RETURN_IF_ERROR(rows.Append(row));
  }
  return rows;
}

}  // namespace dsi::internal
