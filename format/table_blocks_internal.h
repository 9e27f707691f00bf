// How the records of a sealed table lie in its blocks (spec F-040, F-042).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/format/wire_internal.h"

namespace dsi::internal {

constexpr uint64_t NumBlocks(uint32_t count, uint32_t record_size) {
  const uint64_t per_block = RecordsPerBlock(record_size);
  return (count + per_block - 1) / per_block;
}

// F-042, of each block of a compressed table: u64 seal, u64 end …
inline constexpr uint64_t kBlockEntrySize = 16;
// … and the least that its node takes.
inline constexpr uint64_t kLeastNodeSize = 16;

// Records to bytes of which byte j of all records stand together, and back.
void TransposeRecords(std::span<const std::byte> records, size_t record_size, std::byte* out);
void UntransposeRecords(std::span<const std::byte> bytes, size_t record_size, std::byte* out);

}  // namespace dsi::internal
