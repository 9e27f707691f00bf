// Offsets of lists and strings: checked, aligned, and made to begin at 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dsi/arrow/in/array_view_internal.h"
#include "dsi/arrow/in/scratch_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {

template <typename Offset>
struct CheckedOffsets {
  const Offset* offsets = nullptr;  // [count + 1], from 0.
  size_t first = 0;                 // What was taken off each of them.
};

// Begin and end of a slot of a list or a string.
struct SlotRange {
  int64_t begin = 0;
  int64_t end = 0;
};
template <typename Offset>
SlotRange RangeOfSlot(const ArrowView& view, size_t slot) {
  const std::byte* at = view.buffer(1) + (view.start + slot) * sizeof(Offset);
  return {LoadLE<Offset>(at), LoadLE<Offset>(at + sizeof(Offset))};
}

// kBadInput: the first is negative, or one is less than the one before. kOutOfRange: more than
// kMaxListLength apart.
template <typename Offset>
Result<CheckedOffsets<Offset>> ReadOffsets(const ArrowView& view, const ColumnPlace& place,
                                           ArrowScratch* scratch) {
  const size_t count = view.count + 1;
  const std::byte* from = view.buffer(1) + view.start * sizeof(Offset);
  const auto load = [&](size_t i) { return LoadLE<Offset>(from + i * sizeof(Offset)); };
  const Offset first = load(0);
  if (first < 0) return place.Fault("offset {}, expected 0 or more", first);
  bool sound = true;
  for (size_t i = 0; i + 1 < count; ++i) {
    const Offset begin = load(i);
    const Offset end = load(i + 1);
    sound &= begin <= end;
    sound &= static_cast<uint64_t>(end) - static_cast<uint64_t>(begin) <= kMaxListLength;
  }
  for (size_t i = 0; !sound && i + 1 < count; ++i) {
    if (load(i) > load(i + 1)) {
      return place.RowFault(StatusCode::kBadInput, i, "offset {} after {}, expected ascending ones",
                            load(i + 1), load(i));
    }
    if (load(i + 1) - load(i) > Offset{kMaxListLength}) {
      return place.RowFault(StatusCode::kOutOfRange, i, "found {} entries, expected at most {}",
                            load(i + 1) - load(i), kMaxListLength);
    }
  }
  const bool aligned = reinterpret_cast<uintptr_t>(from) % alignof(Offset) == 0;
  if (first == 0 && aligned) {
    return CheckedOffsets<Offset>{reinterpret_cast<const Offset*>(from), 0};
  }
  auto* offsets = scratch->Take<Offset>(count);
  for (size_t i = 0; i < count; ++i) offsets[i] = load(i) - first;
  return CheckedOffsets<Offset>{offsets, static_cast<size_t>(first)};
}

}  // namespace dsi::internal
