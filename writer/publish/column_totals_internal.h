// What a column has in all stripes of a file.
#pragma once

#include <cstdint>

namespace dsi::internal {

struct ColumnTotals {
  uint64_t stored_bytes = 0;
  uint64_t num_values = 0;
};

}  // namespace dsi::internal
