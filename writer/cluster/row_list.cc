#include "dsi/writer/cluster/row_list_internal.h"

#include <array>

#include "dsi/base/bytes_internal.h"

namespace dsi::internal {

Status RowList::Append(const ListedRow& row) {
  std::array<std::byte, kWidth> record;
  StoreLE(record.data(), row.time);
  StoreLE(record.data() + 8, row.input_row);
  StoreLE(record.data() + 12, row.bytes);
  StoreLE(record.data() + 16, row.fresh_bytes);
  record[20] = std::byte{row.starts_session};
  return rows_.Append(record.data());
}

Result<ListedRow> RowList::At(uint32_t position) const {
  DSI_ASSIGN_OR_RETURN(const std::byte* record, rows_.At(position));
  return ListedRow{.time = LoadLE<int64_t>(record),
                   .input_row = LoadLE<uint32_t>(record + 8),
                   .bytes = LoadLE<uint32_t>(record + 12),
                   .fresh_bytes = LoadLE<uint32_t>(record + 16),
                   .starts_session = record[20] != std::byte{0}};
}

}  // namespace dsi::internal
