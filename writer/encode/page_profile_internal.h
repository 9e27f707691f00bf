// What a page looks like: at a glance, so that drift is seen where the size does not show it
// (packed values take the same bits whether they are noise, runs or in order); and in profile, so
// that one of another stream that looks alike gets its plan: wide tables have hundreds of features
// of one kind, and choosing costs more than encoding.
#pragma once

#include <array>
#include <cstddef>

#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::internal {

struct PageGlance {
  double runs = 0;        // Per value, of equal neighbours.
  double rises = 0;       // Per value, of neighbours of which the second is larger.
  double distinct = 0;    // Per value, of values not met before.
  double range_bits = 0;  // log2 of the largest less the smallest.
  double step_bits = 0;   // Of a difference of neighbours, on average.
};

// Looks at 1,024 values in four places: a few microseconds.
PageGlance GlanceAt(const ArrayView& page);

// Pages that another choice was tried on. A stream whose pages are of a few kinds by turns tries
// once for each.
class KnownGlances {
 public:
  bool Has(const PageGlance& glance) const;
  // The oldest of four gives way.
  void Add(const PageGlance& glance) { glances_[added_++ % glances_.size()] = glance; }

 private:
  std::array<PageGlance, 4> glances_;
  size_t added_ = 0;
};

struct PageProfile {
  size_t count = 0;  // Of values.
  // Equal in pages that are alike.
  int width = 0;
  bool is_float = false;
  int zero_bits = 0;       // At the bottom of all values.
  int exponent = 0;        // Of floats that are decimals; -1: of none.
  double ns_per_byte = 0;  // Of the tuning.
  // Nearly equal.
  PageGlance glance;   // Of 4,096 values in four places.
  double repeats = 0;  // Share of values of all the page that were met before, however far away.
  std::array<double, 8> entropy = {};  // Bits of each byte of a value.
};

// Costs about as much as encoding the page.
PageProfile ProfileOf(const ArrayView& page, const EncodeTuning& tuning);

bool AreAlike(const PageProfile& a, const PageProfile& b);

}  // namespace dsi::internal
