// What a binding needs to encode the children of its node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/codecs/node_internal.h"

namespace dsi::internal {

// Lives for one call of EncodeNode or ChoosePlan. `depth` is that of the node being written; the
// outermost is 1 (E-003).
struct EncodeContext {
  explicit EncodeContext(const EncodeTuning& the_tuning, int levels_above = 0)
      : tuning(the_tuning), top(levels_above + 1), depth(levels_above) {}

  const EncodeTuning& tuning;
  FrameEncoder frames;
  const int top;  // Level of the node that is asked for.
  int depth;
  EncodeOutcome outcome;
};

// Appends one node, one level below the node that is being written. Follows the plan where it fits
// the array and does not cost more than raw values; else chooses anew; raw values at worst.
void EncodeArray(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
                 std::vector<std::byte>* out);

// As above for child `index` of a plan, or a fresh choice where the plan has no such child.
void EncodeChild(const ArrayView& array, const EncodePlan& parent, size_t index,
                 EncodeContext* context, std::vector<std::byte>* out);

}  // namespace dsi::internal
