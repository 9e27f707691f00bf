// What a binding needs to decode the children of its node.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/codecs/node_internal.h"
#include "dsi/codecs/scratch_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

// Passed by value down the tree. `depth` is that of the node being decoded; the outermost is 1
// (E-003).
struct DecodeContext {
  DecodeScratch::State* scratch = nullptr;
  const SharedDictionary* dictionary = nullptr;
  int depth = 1;
  const ValueMap* map = nullptr;  // Of the values of this node; null: they are wanted as stored.

  // Bytes of a value that a node is to yield.
  size_t WidthOf(const NodeView& node) const { return map != nullptr ? map->width() : node.width; }
};

// Decodes a node of known frame into dst: node.count values of node.width bytes, or of those that
// the map makes of them, dst aligned to the width. Checks the depth, the encoding and the header
// fields that the encoding does not use, and calls the encoding's binding.
Status DecodeParsedNode(const NodeView& node, const DecodeContext& context, std::byte* dst);

// The same for a binding that has no way to map values while it decodes them.
Status DecodeThenMap(const NodeView& node, const DecodeContext& context, std::byte* dst);

// Of a child, whose values are wanted as stored.
inline DecodeContext Deeper(const DecodeContext& context) {
  return {context.scratch, context.dictionary, context.depth + 1};
}

// Checks what DecodeParsedNode checks before it calls the binding.
Status CheckKnown(const NodeView& node, int depth);

}  // namespace dsi::internal
