// One usual value with exceptions (E-070).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsi::internal {

// Every position is below count.
template <typename T>
void FillSparse(T usual, const uint32_t* positions, const T* values, size_t exceptions, T* out,
                size_t count) {
  std::fill_n(out, count, usual);
  for (size_t i = 0; i < exceptions; ++i) out[positions[i]] = values[i];
}

template <typename T>
void FindExceptions(T usual, const T* values, size_t count, std::vector<uint32_t>* positions,
                    std::vector<T>* exceptions) {
  constexpr size_t kBlock = 64;
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t end = std::min(count, first + kBlock);
    T difference = 0;
    for (size_t i = first; i < end; ++i) difference |= static_cast<T>(values[i] ^ usual);
    if (difference == 0) continue;
    for (size_t i = first; i < end; ++i) {
      if (values[i] == usual) continue;
      positions->push_back(static_cast<uint32_t>(i));
      exceptions->push_back(values[i]);
    }
  }
}

}  // namespace dsi::internal
