#include "dsi/writer/cluster/kept_order_internal.h"

#include <algorithm>

namespace dsi::internal {

void AppendRowBytes(std::span<const FeatureSource> features, size_t first, size_t num_rows,
                    std::vector<uint32_t>* bytes) {
  std::vector<uint64_t> of_row(num_rows - std::min(first, num_rows), 0);
  for (const FeatureSource& feature : features) {
    const RowBatch::FeatureBuffer& rows = *feature.rows;
    const uint64_t entry = feature.entry_bytes();
    const bool lengths = feature.has_lengths();
    const uint64_t fixed =
        sizeof(uint32_t) + (lengths ? sizeof(uint32_t) : entry * feature.entries_per_row());
    size_t i = first;
    if (!rows.all_present) {
      i = static_cast<size_t>(std::lower_bound(rows.rows.begin(), rows.rows.end(), first) -
                              rows.rows.begin());
    }
    for (; i < rows.num_present; ++i) {
      const size_t row = (rows.all_present ? i : rows.rows[i]) - first;
      of_row[row] += fixed + (lengths ? rows.lengths[rows.ListOf(i)] * entry : 0);
    }
  }
  for (const uint64_t row : of_row)
    bytes->push_back(static_cast<uint32_t>(std::min<uint64_t>(row, UINT32_MAX)));
}

Result<RowList> KeptOrder(std::span<const uint32_t> row_bytes) {
  RowList rows(false, UINT64_MAX, "");
  for (uint32_t i = 0; i < row_bytes.size(); ++i)
    DSI_RETURN_IF_ERROR(rows.Append({.input_row = i, .bytes = row_bytes[i]}));
  return rows;
}

}  // namespace dsi::internal
