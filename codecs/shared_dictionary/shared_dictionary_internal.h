// The parts of a shared dictionary node (spec E-051).
#pragma once

#include "dsi/codecs/node_internal.h"

namespace dsi::internal {

struct SharedChildren {
  NodeView codes;
  NodeView literals;  // Of node.aux values; undefined where there are none.
};
Result<SharedChildren> FindSharedChildren(const NodeView& node, size_t dictionary_count);

}  // namespace dsi::internal
