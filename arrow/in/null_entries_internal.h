// What ArrowInputOptions::null_entries makes of nulls in lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/arrow/in/read_lists_internal.h"
#include "dsi/format/schema.h"

namespace dsi::internal {

// Leaves out entries that are null.
void DropNulls(ListRows* lists, ArrowScratch* scratch);

// Which entries of lists are null and what stands there, from array to array that they are read
// through.
class NullFill {
 public:
  // `count` entries, none null so far.
  NullFill(size_t count, ArrowScratch* scratch) : count_(count), scratch_(scratch) {}

  // Those of the positions that are null there, and those known before, pick no slot any more.
  void Add(const SlotBits& bits, Positions* at);
  // All of them are null.
  void AddAll();
  // The values, or a copy in which what the column has for nulls (NullEntries::kFill) stands.
  const std::byte* Fill(const std::byte* values, const ColumnSpec& column, bool texts) const;

 private:
  const size_t count_;
  ArrowScratch* const scratch_;
  uint8_t* nulls_ = nullptr;  // By entry, 1 where it is null; null: none is.
};

}  // namespace dsi::internal
