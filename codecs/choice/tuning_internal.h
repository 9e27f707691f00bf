// Tunings as prices (design: tunings). Shipped constants, so that equal input gives equal bytes.
// Files name the tuning: what a byte is worth never changes under a name (spec F-053).
#pragma once

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/format/types.h"

namespace dsi::internal {

// Those of kNvme for a tuning that this build does not know.
inline EncodeTuning TuningOf(Tuning tuning) {
  switch (tuning) {
    case Tuning::kNetwork:
      return {.ns_per_byte = 12.0, .zstd_level = 6, .accept_ratio = 0.95};
    case Tuning::kArchive:
      return {.ns_per_byte = 200.0, .zstd_level = 19, .lz4 = false, .accept_ratio = 0.98};
    case Tuning::kNvme:
      break;
  }
  return {};
}

}  // namespace dsi::internal
