// What a page looks like at a glance, so that drift is seen where the size does not show it: packed
// values take the same bits whether they are noise, runs or in order.
#pragma once

#include <array>
#include <cstddef>

#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::internal {

struct PageOutline {
  double runs = 0;        // Per value, of equal neighbours.
  double rises = 0;       // Per value, of neighbours of which the second is larger.
  double distinct = 0;    // Per value, of values not met before.
  double range_bits = 0;  // log2 of the largest less the smallest.
  double step_bits = 0;   // Of a difference of neighbours, on average.
};

// Looks at 1,024 values in four places: a few microseconds.
PageOutline OutlineOf(const ArrayView& page);

// Outlines that another choice was tried on. A stream whose pages are of a few kinds by turns
// tries once for each.
class KnownOutlines {
 public:
  bool Has(const PageOutline& outline) const;
  // The oldest of four gives way.
  void Add(const PageOutline& outline);

 private:
  std::array<PageOutline, 4> outlines_;
  size_t added_ = 0;
};

}  // namespace dsi::internal
