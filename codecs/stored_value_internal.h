// The u64 at the start of some payloads that holds one value of the node's width (E-011, E-030,
// E-070).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dsi/codecs/node_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {

inline constexpr size_t kStoredValueSize = 8;

// Loads it from the start of the payload; the bits above the width are zero.
inline Status LoadStoredValue(const NodeView& node, std::string_view name, std::string_view rule,
                              uint64_t* value) {
  if (node.payload.size() < kStoredValueSize) {
    return Corrupt("{}: payload of {} bytes, expected at least 8 ({})", name, node.payload.size(),
                   rule);
  }
  *value = LoadLE<uint64_t>(node.payload.data());
  if ((*value & ~LowMask(8 * node.width)) != 0) {
    return Corrupt("{}: value {:#x} does not fit {} bytes ({})", name, *value, node.width, rule);
  }
  return Status::Ok();
}

}  // namespace dsi::internal
