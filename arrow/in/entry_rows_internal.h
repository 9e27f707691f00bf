// Which values belong to which rows, so that what stands where no row looks is neither an error nor
// a value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/arrow/in/array_view_internal.h"

namespace dsi::internal {

// Slots of a view, one after another or picked one by one; -1 picks none, which reads as 0.
struct Positions {
  size_t begin = 0;
  size_t count = 0;
  const int64_t* slots = nullptr;  // [count]; then `begin` means nothing.

  // The i-th, which is one that a row looks at.
  size_t At(size_t i) const { return slots != nullptr ? static_cast<size_t>(slots[i]) : begin + i; }
};

// Entries of num_rows rows: `per_row` each, or between offsets that begin at 0.
struct EntryRows {
  size_t num_rows = 0;
  SlotBits valid;
  size_t per_row = 1;
  const int32_t* offsets32 = nullptr;
  const int64_t* offsets64 = nullptr;

  size_t Begin(size_t row) const {
    if (offsets32 != nullptr) return static_cast<size_t>(offsets32[row]);
    if (offsets64 != nullptr) return static_cast<size_t>(offsets64[row]);
    return row * per_row;
  }

  // Calls run(row, begin, end) with the entries of each row that is there.
  template <typename Run>
  void ForEachRow(const Run& run) const {
    ForEachRunOfBits(valid.bits, valid.start, num_rows, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) run(row, Begin(row), Begin(row + 1));
    });
  }
};

// Asks fits(begin, count) of all entries at once. Where they do not fit, of each that a row has:
// fault(row, entry) says what is wrong with the first.
template <typename Fits, typename Fault>
Status CheckEntries(const EntryRows& rows, size_t count, const Fits& fits, const Fault& fault) {
  if (fits(size_t{0}, count)) return {};
  Status found;
  rows.ForEachRow([&](size_t row, size_t begin, size_t end) {
    for (size_t entry = begin; entry < end && found.ok(); ++entry) {
      if (!fits(entry, size_t{1})) found = fault(row, entry);
    }
  });
  return found;
}

}  // namespace dsi::internal
