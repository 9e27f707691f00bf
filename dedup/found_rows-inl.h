// Where the rows of a block lie in their pool. Included once per Highway target, by the kernels
// that pad and that gather rows.
//
// Rows are found block by block, one block ahead of those that are written: their values are then
// on their way to the cache. Each step is a plain loop over the block, which the compiler
// vectorises.

#if defined(DSI_DEDUP_FOUND_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_DEDUP_FOUND_ROWS_INL_H_
#undef DSI_DEDUP_FOUND_ROWS_INL_H_
#else
#define DSI_DEDUP_FOUND_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dsi/dedup/expand_internal.h"

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {

constexpr size_t kBlockRows = 32;

// All in bytes: where rows are held, and what is written of them.
struct FoundRows {
  uint64_t start[kBlockRows];  // Of the values that stay, where they are held.
  uint64_t size[kBlockRows];   // As written.
  uint64_t last_start;         // The greatest of the block, …
  uint64_t first_end;          // … and the lowest end.
  uint64_t whole;              // Written of all its rows before they are cut.
};

// Which rows are looked for.
struct SoughtRows {
  ValuePool pool;
  const uint32_t* slots = nullptr;  // nullptr: unique rows from first_slot on.
  size_t first_slot = 0;
  size_t num_rows = 0;
  bool is_scattered = false;  // Slots that follow each other lie far apart.
  int width_bits = 3;         // Values are 1 << width_bits bytes, …
  int held_bits = 3;          // … and held in 1 << held_bits.
  uint32_t row_length = UINT32_MAX;
  bool keep_last = false;
  uint8_t* present = nullptr;
};

// Slots of rows that repeat their neighbours ascend without gaps; a few of them tell.
inline bool AreScattered(const uint32_t* slots, size_t num_rows) {
  constexpr size_t kLooks = 16;
  if (slots == nullptr || num_rows == 0) return false;
  if (slots[num_rows - 1] - slots[0] >= num_rows) return true;
  for (size_t look = 1; look <= kLooks; ++look) {
    const size_t before = (num_rows - 1) * (look - 1) / kLooks;
    if (slots[(num_rows - 1) * look / kLooks] < slots[before]) return true;
  }
  return false;
}

inline SoughtRows Seek(const ValuePool& pool, const uint32_t* slots, size_t num_rows) {
  SoughtRows rows;
  rows.pool = pool;
  rows.slots = slots;
  rows.num_rows = num_rows;
  rows.is_scattered = AreScattered(slots, num_rows);
  rows.width_bits = pool.width == 1 ? 0 : pool.width == 2 ? 1 : pool.width == 4 ? 2 : 3;
  rows.held_bits = rows.width_bits - pool.narrow;
  return rows;
}

// Finds rows [first, first + count) of those sought, at most kBlockRows.
HWY_INLINE void FindRows(const SoughtRows& sought, size_t first, size_t count, FoundRows* found) {
  constexpr size_t kPlacesAhead = 64;
  constexpr size_t kLine = 64;
  uint32_t slots[kBlockRows];
  uint32_t lengths[kBlockRows];
  uint64_t starts[kBlockRows];
  if (sought.slots != nullptr) {
    std::copy_n(sought.slots + first, count, slots);
    if (sought.pool.places != nullptr) {
      for (size_t i = 0; i < count; ++i) starts[i] = sought.pool.places[slots[i]];
      for (size_t i = 0; i < count; ++i) lengths[i] = LengthOfPlace(starts[i]);
      for (size_t i = 0; i < count; ++i) starts[i] = StartOfPlace(starts[i]);
    } else {
      for (size_t i = 0; i < count; ++i) lengths[i] = sought.pool.lengths[slots[i]];
      for (size_t i = 0; i < count; ++i) starts[i] = sought.pool.starts[slots[i]];
    }
  } else {
    std::copy_n(sought.pool.lengths + sought.first_slot + first, count, lengths);
    std::copy_n(sought.pool.starts + sought.first_slot + first, count, starts);
  }
  const uint32_t most = sought.row_length;
  const uint32_t skip = sought.keep_last ? UINT32_MAX : 0;
  const int bits = sought.width_bits;
  const int held_bits = sought.held_bits;
  uint64_t entries = 0;
  uint64_t last_start = 0;
  uint64_t first_end = UINT64_MAX;
  uint32_t shortest = UINT32_MAX;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t kept = std::min(lengths[i], most);
    const uint64_t start = (starts[i] + ((lengths[i] - kept) & skip)) << held_bits;
    const uint64_t size = uint64_t{kept} << bits;
    found->start[i] = start;
    found->size[i] = size;
    entries += lengths[i];
    last_start = std::max(last_start, start);
    first_end = std::min(first_end, start + (uint64_t{kept} << held_bits));
    shortest = std::min(shortest, lengths[i]);
  }
  found->last_start = last_start;
  found->first_end = first_end;
  found->whole = entries << bits;
  if (sought.is_scattered) {
    const auto values = reinterpret_cast<uintptr_t>(sought.pool.values);  // Null: there are none.
    const auto line = [&](uint64_t at) { return reinterpret_cast<const std::byte*>(values + at); };
    for (size_t i = 0; i < count; ++i) {
      hwy::Prefetch(line(found->start[i]));
      hwy::Prefetch(line(found->start[i] + kLine));  // The CPU sees by itself if there are more.
    }
    const size_t ahead = std::min(first + kPlacesAhead, sought.num_rows);
    const size_t ahead_end = std::min(ahead + kBlockRows, sought.num_rows);
    if (sought.pool.places != nullptr) {
      for (size_t row = ahead; row < ahead_end; ++row)
        hwy::Prefetch(sought.pool.places + sought.slots[row]);
    } else {
      for (size_t row = ahead; row < ahead_end; ++row) {
        hwy::Prefetch(sought.pool.starts + sought.slots[row]);
        hwy::Prefetch(sought.pool.lengths + sought.slots[row]);
      }
    }
  }
  if (sought.present == nullptr) return;
  // A row with entries is there: where all have some, nobody needs to look.
  if (shortest != 0) {
    std::memset(sought.present + first, 1, count);
  } else if (sought.slots != nullptr) {
    constexpr uint8_t kIsPresent = 1;
    for (size_t i = 0; i < count; ++i)
      sought.present[first + i] = *(lengths[i] != 0 ? &kIsPresent : sought.pool.present + slots[i]);
  } else {
    std::copy_n(sought.pool.present + sought.first_slot + first, count, sought.present + first);
  }
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
