// What binds an overlay to its base: a .dsi file that has further features of rows of another one,
// or better values of some that it has (spec F-086, F-087). Read together they are one table
// (dataset/dataset.h); BindOverlay of rewrite/overlay.h makes the binding.
#pragma once

#include <cstdint>
#include <vector>

namespace dsi {

// Rows [begin, end) of the base. They are whole stripes of it.
struct OverlayRows {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool operator==(const OverlayRows&) const = default;
};

struct OverlayBinding {
  // Of the rows of the base (FileInfo::rows_fingerprint): another content or order, another one.
  // Deleting rows does not change it.
  uint64_t base_fingerprint = 0;
  uint64_t base_rows = 0;
  // Which of them the overlay has, ascending; they neither touch nor overlap.
  std::vector<OverlayRows> rows = {};
  // Of each stripe of the base that lies in `rows`: those of the overlay are cut alike.
  std::vector<uint32_t> stripe_rows = {};
};

}  // namespace dsi
