#include "dsi/format/table_blocks_internal.h"

namespace dsi::internal {

void TransposeRecords(std::span<const std::byte> records, size_t record_size, std::byte* out) {
  const size_t count = records.size() / record_size;
  for (size_t j = 0; j < record_size; ++j) {
    for (size_t i = 0; i < count; ++i) *out++ = records[i * record_size + j];
  }
}

void UntransposeRecords(std::span<const std::byte> bytes, size_t record_size, std::byte* out) {
  const size_t count = bytes.size() / record_size;
  const std::byte* from = bytes.data();
  for (size_t j = 0; j < record_size; ++j) {
    for (size_t i = 0; i < count; ++i) out[i * record_size + j] = *from++;
  }
}

}  // namespace dsi::internal
