// Which stream of a stripe has which slot (spec F-076): three for each column, then a dictionary
// for each id space, then an index for each dedup group but that of rows, then tiers.
#pragma once

#include <cstdint>

#include "dsi/format/core_internal.h"

namespace dsi::internal {

inline constexpr uint32_t kSlotsPerColumn = 3;

constexpr uint32_t ValuesSlot(uint32_t column) { return kSlotsPerColumn * column; }
// Of a feature: `leader` is its first column. Those of its other columns stay empty.
constexpr uint32_t ShapeSlot(uint32_t leader) { return kSlotsPerColumn * leader + 1; }
constexpr uint32_t WindowsSlot(uint32_t leader) { return kSlotsPerColumn * leader + 2; }

// What ordinals alone do not tell. The limits of F-090 keep all sums below 2³².
struct SlotCounts {
  uint32_t num_columns = 0;
  uint32_t num_id_spaces = 0;
  uint32_t num_groups = 1;  // With that of rows.

  constexpr uint32_t dictionary(uint32_t id_space) const {
    return kSlotsPerColumn * num_columns + id_space;
  }
  constexpr uint32_t index(uint32_t group) const { return dictionary(num_id_spaces) + group - 1; }
  // Of the first column's tier 1, where there are tiers.
  constexpr uint32_t first_tier() const { return index(num_groups); }
};

inline SlotCounts SlotCountsOf(const Core& core) {
  return {core.columns.count, core.id_spaces.count, core.groups.count};
}

}  // namespace dsi::internal
