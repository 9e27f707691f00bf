// The conversion that dense matrices take: numbers are stored as float64 where a text has them, and
// models take float32.
#pragma once

#include <cstddef>

namespace dsi::internal {

// Rounded as static_cast does; `in` and `out` are apart. False: some are beyond the greatest float,
// infinities too, and what is written is void. Thread safety: a pure function. SIMD is chosen at
// run time; the output is the same on every CPU.
bool FloatsOfDoubles(const double* in, size_t count, float* out);

}  // namespace dsi::internal
