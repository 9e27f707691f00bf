// What the values of a stream would take in an entropy coder that knows how often each occurs, and
// their differences: a mark that tells where bytes are left.
#pragma once

#include <cstddef>

#include "dsi/bench/choice_figures/file_streams.h"

namespace dsi::bench {

struct ZeroOrder {
  double bytes = 0;     // Of all symbols, each at its entropy; nobody is told what the symbols are.
  size_t distinct = 0;  // Symbols.
};

struct StreamEntropy {
  ZeroOrder values;
  ZeroOrder steps;  // From each value to the next.
};

StreamEntropy EntropyOf(const Stream& stream);

}  // namespace dsi::bench
