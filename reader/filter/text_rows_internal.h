// What tests of strings share: the rows of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dsi/reader/decode/shape_decoder_internal.h"

namespace dsi::internal {

// matches[i] &= the row slots[i] is present and match(its string). A unique row that stands beside
// itself is looked at once.
template <typename Match>
void AndTexts(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
              uint8_t* matches, const Match& match) {
  uint32_t last = UINT32_MAX;
  bool matched = false;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] != last) {
      last = slots[i];
      matched = shape.present[last] != 0 &&
                match(std::string_view(reinterpret_cast<const char*>(values + shape.Start(last)),
                                       shape.lengths[last]));
    }
    matches[i] &= static_cast<uint8_t>(matched);
  }
}

}  // namespace dsi::internal
