// What a stored node takes to decode by the rates that choices go by; for people who ask why.
#pragma once

#include <cstddef>
#include <span>

#include "dsi/base/status.h"

namespace dsi::internal {

// Nanoseconds for a node and all in it, which DescribeNode must have found sound: what nodes claim
// is believed here. Decompresses what is compressed, to see what is inside.
Result<double> DecodeNs(std::span<const std::byte> bytes);

}  // namespace dsi::internal
