#include "dsi/dataset/files/session_keys_internal.h"

#include <utility>

namespace dsi::internal {

Result<std::vector<OpenColumn>> SessionKeys(const OpenFile& file) {
  std::vector<OpenColumn> columns;
  const std::vector<uint32_t>& keys = file.core().cluster_keys;
  for (const uint32_t key : keys) {
    DSI_ASSIGN_OR_RETURN(OpenColumn column, file.LoadColumn(key));
    if (key == keys.back() && column.record.kind == Kind::kTimestamp) continue;
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace dsi::internal
