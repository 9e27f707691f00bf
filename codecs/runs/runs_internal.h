// Kernels of the runs encoding (E-040). No checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsi::internal {

// Writes each value of `width` bytes lengths[i] times. Every length is at least 1 and they sum to
// count; values and out are aligned to the width.
void ExpandRuns(const uint32_t* lengths, const std::byte* values, size_t runs, size_t width,
                std::byte* out, size_t count);

struct LengthsSummary {
  uint64_t sum = 0;
  uint32_t smallest = 0;
};

// Of at least one length.
LengthsSummary SummarizeLengths(const uint32_t* lengths, size_t runs);

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
