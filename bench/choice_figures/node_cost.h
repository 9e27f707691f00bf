// What a stored node costs by the model of the writer: bytes, and estimated time to decode.
#pragma once

#include <cstddef>
#include <span>

#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::bench {

struct NodeCost {
  double bytes = 0;
  double ns = 0;

  double At(double ns_per_byte) const { return bytes * ns_per_byte + ns; }
  NodeCost& operator+=(const NodeCost& other) {
    bytes += other.bytes;
    ns += other.ns;
    return *this;
  }
};

// Of a node that this program has encoded.
NodeCost CostOfNode(std::span<const std::byte> node);

}  // namespace dsi::bench
