// Which row of an overlay each given row becomes: by the order of the base, or by a key.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/format/overlay.h"
#include "dsi/reader/reader.h"

namespace dsi::internal {

inline constexpr uint64_t kNoRow = UINT64_MAX;

// Rows of the overlay, counted over the ranges of its binding.
struct BaseRows {
  std::vector<uint64_t> place;  // Of each given row, in their order; kNoRow: it is not used.
  uint64_t num_rows = 0;        // Of the overlay.
  uint64_t num_deleted = 0;
  uint64_t num_unused = 0;
  bool is_ascending = true;  // Those that are used.
};

// false cancels.
using LookedAtRows = std::function<bool(uint64_t rows_done)>;

// The rows of the base that are not deleted, in its order. kInvalidArgument: there are not
// num_given of them.
Result<BaseRows> RowsInOrder(const Reader& base, const OverlayBinding& binding, uint64_t num_given);

// Reads the key of both. kInvalidArgument: see WriteOverlay.
Result<BaseRows> RowsByKey(const Reader& base, const OverlayBinding& binding, const Dataset& from,
                           const std::string& key, const LookedAtRows& progress);

}  // namespace dsi::internal
