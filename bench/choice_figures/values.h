// An array with memory of its own.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::bench {

struct Values {
  std::vector<std::byte> bytes;  // Memory of operator new: aligned to any width.
  size_t count = 0;
  int width = 8;
  bool is_float = false;

  internal::ArrayView view() const { return {bytes.data(), count, width, is_float}; }
};

inline Values CopyOf(const internal::ArrayView& array) {
  Values values;
  values.count = array.count;
  values.width = array.width;
  values.is_float = array.is_float;
  const auto* from = static_cast<const std::byte*>(array.values);
  values.bytes.assign(from, from + array.count * static_cast<size_t>(array.width));
  return values;
}

}  // namespace dsi::bench
