// Rows of one value from a pool: what a dense column with missing values becomes. A table has
// thousands of these, of few rows each.

#include "dsi/dedup/pad_scalars_internal.h"

#include <algorithm>
#include <cstring>

namespace dsi::internal {
namespace {

template <typename T>
uint64_t PadScalarsOf(const ValuePool& pool, const uint32_t* slots, uint32_t first, size_t count,
                      const PadOptions& options, const PaddedRows& out) {
  const uint32_t skip = options.keep_last ? UINT32_MAX : 0;
  const auto pad = static_cast<T>(options.pad_bits);
  const auto* const pad_bytes = reinterpret_cast<const std::byte*>(&pad);
  // Not members: what is written might change them.
  const uint32_t* const lengths = pool.lengths;
  const uint64_t* const starts = pool.starts;
  const std::byte* const values = pool.values;
  std::byte* const to = out.values;
  uint64_t entries = 0;
  // No branch: which rows are missing is not predictable.
  for (size_t row = 0; row < count; ++row) {
    const size_t slot = slots != nullptr ? slots[row] : first + row;
    const uint32_t length = lengths[slot];
    const uint32_t kept = std::min(length, 1U);
    const std::byte* const value = values + (starts[slot] + ((length - kept) & skip)) * sizeof(T);
    std::memcpy(to + row * sizeof(T), kept != 0 ? value : pad_bytes, sizeof(T));
    if (out.kept != nullptr) out.kept[row] = static_cast<int32_t>(kept);
    entries += length;
  }
  if (out.present == nullptr) return entries;
  if (slots == nullptr) {
    std::memcpy(out.present, pool.present + first, count);
  } else {
    for (size_t row = 0; row < count; ++row) out.present[row] = pool.present[slots[row]];
  }
  return entries;
}

}  // namespace

uint64_t PadScalars(const ValuePool& pool, const uint32_t* slots, uint32_t first, size_t count,
                    const PadOptions& options, const PaddedRows& out) {
  switch (pool.width) {
    case 1:
      return PadScalarsOf<uint8_t>(pool, slots, first, count, options, out);
    case 2:
      return PadScalarsOf<uint16_t>(pool, slots, first, count, options, out);
    case 4:
      return PadScalarsOf<uint32_t>(pool, slots, first, count, options, out);
    default:
      return PadScalarsOf<uint64_t>(pool, slots, first, count, options, out);
  }
}

}  // namespace dsi::internal
