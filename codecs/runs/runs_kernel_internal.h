// Runs of equal values (E-040).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsi::internal {

// Writes each value lengths[i] times. Every length is at least 1 and they sum to count.
template <typename T>
void ExpandRuns(const uint32_t* lengths, const T* values, size_t runs, T* out, size_t count) {
  constexpr size_t kShort = 8;
  T* const end = out + count;
  for (size_t i = 0; i < runs; ++i) {
    const T value = values[i];
    const size_t length = lengths[i];
    if (length <= kShort && static_cast<size_t>(end - out) >= kShort) {
      // A fixed number of stores beats a loop that branches on the length; the next run overwrites
      // the excess.
      for (size_t k = 0; k < kShort; ++k) out[k] = value;
    } else {
      std::fill_n(out, length, value);
    }
    out += length;
  }
}

template <typename T>
void FindRuns(const T* values, size_t count, std::vector<uint32_t>* lengths,
              std::vector<T>* run_values) {
  size_t start = 0;
  for (size_t i = 1; i <= count; ++i) {
    if (i < count && values[i] == values[start]) continue;
    lengths->push_back(static_cast<uint32_t>(i - start));
    run_values->push_back(values[start]);
    start = i;
  }
}

}  // namespace dsi::internal
