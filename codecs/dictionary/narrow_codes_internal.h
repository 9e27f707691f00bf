// Codes in the smallest width that holds them (E-050, E-051).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::internal {

// Keeps the narrowed copy; view() points into it.
class NarrowCodes {
 public:
  NarrowCodes(std::span<const uint32_t> codes, uint32_t largest)
      : width_(WidthForBits(BitsFor(largest))), count_(codes.size()) {
    words_.resize((codes.size() * static_cast<size_t>(width_) + 7) / 8);
    VisitWidth(width_, [&](auto zero) {
      using T = decltype(zero);
      T* narrow = reinterpret_cast<T*>(words_.data());
      for (size_t i = 0; i < codes.size(); ++i) narrow[i] = static_cast<T>(codes[i]);
    });
  }

  ArrayView view() const { return {words_.data(), count_, width_}; }

 private:
  int width_;
  size_t count_;
  std::vector<uint64_t> words_;
};

}  // namespace dsi::internal
