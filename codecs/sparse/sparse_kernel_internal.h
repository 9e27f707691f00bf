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
  for (size_t i = 0; i < count; ++i) {
    if (values[i] == usual) continue;
    positions->push_back(static_cast<uint32_t>(i));
    exceptions->push_back(values[i]);
  }
}

}  // namespace dsi::internal
