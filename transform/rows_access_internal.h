// The one way into a RowsBuilder besides its methods: many rows at once.
#pragma once

#include <cstddef>

#include "dsi/transform/rows.h"

namespace dsi::internal {

struct RowsAccess {
  // Ends rows as long, and as missing, as the first rows of the source; their values were added.
  static void EndRowsOf(const RowsInput& source, size_t num_rows, RowsBuilder* out);
};

}  // namespace dsi::internal
