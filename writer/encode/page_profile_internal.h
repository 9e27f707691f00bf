// What a page looks like, so that one of another stream that looks alike gets its plan: wide tables
// have hundreds of features of one kind, and choosing costs more than encoding.
#pragma once

#include <array>
#include <cstddef>

#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::internal {

struct PageProfile {
  size_t count = 0;  // Of values.
  // Equal in pages that are alike.
  int width = 0;
  bool is_float = false;
  int zero_bits = 0;       // At the bottom of all values.
  int exponent = 0;        // Of floats that are decimals; -1: of none.
  double ns_per_byte = 0;  // Of the tuning.
  // Nearly equal.
  double range_bits = 0;               // log2 of the largest less the smallest.
  double runs = 0;                     // Per value, of equal neighbours.
  double rises = 0;                    // Per value, of neighbours of which the second is larger.
  double repeats = 0;                  // See RepeatShare.
  double step_entropy = 0;             // Bits of a difference of neighbours, byte by byte.
  std::array<double, 8> entropy = {};  // Bits of each byte of a value.
};

// Costs about as much as encoding the page.
PageProfile ProfileOf(const ArrayView& page, const EncodeTuning& tuning);

bool AreAlike(const PageProfile& a, const PageProfile& b);

}  // namespace dsi::internal
