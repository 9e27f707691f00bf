// Borders made ready for counting which of them are below a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/transform/step.h"

namespace dsi::internal {

template <typename T>
struct Borders {
  std::vector<T> sorted;  // Padded.
  size_t count = 0;       // Without padding.
  int32_t below_all = 0;  // Borders that are below every value of the type.
};

// The bucket of x is below_all and the number of `sorted` below x, with all that T-023 says of
// sides and of borders that stand twice. T: float, double, int64_t.
template <typename T>
Borders<T> MakeBorders(const std::vector<double>& given, BorderSide side);

}  // namespace dsi::internal
