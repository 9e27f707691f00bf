// Renumbering, the part of expansion that needs no SIMD; the others are in expand_scalars.cc,
// pad_rows.cc, gather_rows.cc, inverse.cc and shape_starts.cc.

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dsi::internal {
void BatchUnique::Reset(uint32_t num_unique, bool each_once) {
  each_once_ = each_once;
  if (each_once) return;
  // Entries of the stripe before carry stamps of its batches, all of which are behind epoch_.
  if (num_unique > entries_.size()) entries_.resize(num_unique);
}

size_t BatchUnique::Renumber(std::span<const uint32_t> slots, uint32_t* inverse, uint32_t* unique) {
  if (each_once_) {
    std::copy(slots.begin(), slots.end(), unique);
    std::iota(inverse, inverse + slots.size(), 0U);
    return slots.size();
  }
  if (epoch_ == std::numeric_limits<uint32_t>::max()) {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    epoch_ = 0;
  }
  const uint32_t epoch = ++epoch_;
  Entry* entries = entries_.data();
  constexpr size_t kAhead = 32;
  uint32_t count = 0;
  uint32_t last = std::numeric_limits<uint32_t>::max();
  uint32_t number = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    __builtin_prefetch(entries + slots[std::min(i + kAhead, slots.size() - 1)], 1);
    const uint32_t slot = slots[i];
    // A row that repeats the one before would wait for what that one stores.
    if (slot != last) {
      Entry& entry = entries[slot];
      // No branch: whether a slot is new is not predictable. The compiler would make one of `?:`.
      // Where it is not, the next new slot overwrites what is stored to unique[count], and
      // count <= i, so that stays inside.
      const uint32_t is_new = entry.epoch != epoch ? 1 : 0;
      number = entry.number ^ ((entry.number ^ count) & (0U - is_new));
      entry = {epoch, number};
      unique[count] = slot;
      count += is_new;
      last = slot;
    }
    inverse[i] = number;
  }
  return count;
}

size_t RenumberAscending(std::span<const uint32_t> slots, uint32_t* inverse, uint32_t* unique) {
  if (slots.empty()) return 0;
  // No branch: whether a slot is the one before is not predictable.
  uint32_t last = slots[0];
  uint32_t number = 0;
  unique[0] = last;
  for (size_t i = 0; i < slots.size(); ++i) {
    const uint32_t slot = slots[i];
    number += slot != last ? 1 : 0;
    unique[number] = last = slot;
    inverse[i] = number;
  }
  return size_t{number} + 1;
}

}  // namespace dsi::internal
