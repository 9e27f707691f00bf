// Where in a padded row the values end and the padding begins, as bytes to blend by.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Bytes that are all set up to a border: loaded from so far before it as a row's border is behind
// its start.
constexpr size_t kMostMasked = 1024;
struct Border {
  constexpr Border() {
    for (size_t i = 0; i < kMostMasked; ++i) bytes[i] = 0xFF;
  }
  const uint8_t* Mask(size_t border) const { return bytes + kMostMasked - border; }
  uint8_t bytes[2 * kMostMasked] = {};
};
alignas(64) inline constexpr Border kBorder;

}  // namespace dsi::internal
