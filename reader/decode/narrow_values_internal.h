// Numbers held in fewer bytes than their type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Holds `count` numbers of `width` bytes in the fewest of 1, 2, 4 and 8 bytes that all of them
// need, one after another from `values` on; returns how many. Numbers below 0 need all.
size_t NarrowInPlace(std::byte* values, uint64_t count, size_t width);

}  // namespace dsi::internal
