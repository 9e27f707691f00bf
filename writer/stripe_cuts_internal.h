// Cuts the rows of a file into stripes, between sessions wherever possible (spec F-051).
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/writer/source_internal.h"

namespace dsi::internal {

struct StripeCut {
  uint32_t first_row = 0;
  uint32_t num_rows = 0;
  uint32_t num_sessions = 0;  // That start in it.
  bool continues_session =
      false;  // Its first row belongs to the session at the end of the stripe before.
};

// At most stripe_rows rows each, and about stripe_bytes of the total_bytes in memory. A session
// longer than a stripe is split.
std::vector<StripeCut> CutStripes(const RowOrder& order, uint32_t num_rows, uint64_t total_bytes,
                                  uint32_t stripe_rows, uint64_t stripe_bytes);

}  // namespace dsi::internal
