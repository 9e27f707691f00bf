// What rows are put in order by, a record of fixed size for each: of the session keys, outermost
// first, 128 bits of XXH3 with those outside of it; a moment, which is the time and the input
// position; how many bytes the row takes, and how many of them are fresh. Numbers are stored so
// that bytes order as they do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/base/bytes_internal.h"
#include "dsi/writer/cluster/row_list_internal.h"

namespace dsi::internal {

inline constexpr size_t kKeyHashBytes = 16;
inline constexpr size_t kTimeBytes = 8;
inline constexpr size_t kMomentBytes = kTimeBytes + sizeof(uint32_t);
inline constexpr size_t kSizeBytes = 2 * sizeof(uint32_t);

inline void PutTime(int64_t time, std::byte* at) {
  StoreLE(at, __builtin_bswap64(static_cast<uint64_t>(time) ^ 1ULL << 63));
}
inline int64_t TimeAt(const std::byte* at) {
  return static_cast<int64_t>(__builtin_bswap64(LoadLE<uint64_t>(at)) ^ 1ULL << 63);
}
inline void PutRow(uint32_t row, std::byte* at) { StoreLE(at, __builtin_bswap32(row)); }

// A record behind its hashes.
inline ListedRow RowAt(const std::byte* moment) {
  return {.time = TimeAt(moment),
          .input_row = __builtin_bswap32(LoadLE<uint32_t>(moment + kTimeBytes)),
          .bytes = LoadLE<uint32_t>(moment + kMomentBytes),
          .fresh_bytes = LoadLE<uint32_t>(moment + kMomentBytes + sizeof(uint32_t))};
}

}  // namespace dsi::internal
