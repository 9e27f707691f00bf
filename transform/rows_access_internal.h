// The one way into a RowsBuilder besides its methods: many rows at once.
#pragma once

#include <cstddef>

#include "dsi/transform/rows.h"

namespace dsi::internal {

struct RowsAccess {
  // Another builder whose memory is kept with this one.
  static RowsBuilder* Copied(RowsBuilder* out) {
    if (out->copied_ == nullptr) out->copied_ = std::make_unique<RowsBuilder>();
    return out->copied_.get();
  }
  // Ends rows as long, and as missing, as the first rows of the source; their values were added.
  static void EndRowsOf(const RowsInput& source, size_t num_rows, RowsBuilder* out);
};

}  // namespace dsi::internal
