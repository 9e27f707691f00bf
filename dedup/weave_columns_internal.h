// Columns of values to rows of a matrix, in blocks of columns.
//
// Thread safety: any. SIMD is chosen at run time; the output is the same on every CPU.
#pragma once

#include <cstddef>
#include <span>

namespace dsi::internal {

// So many columns at once are woven with SIMD; fewer one after another.
inline constexpr size_t kWovenColumns = 8;

// out[row × row_items + i] = columns[i][row] for each row below num_rows, all of them items of
// `width` bytes: 1, 2, 4 or 8. Columns need no alignment; none overlaps the output. At most
// kWovenColumns of them.
void WeaveColumns(size_t width, std::span<const std::byte* const> columns, size_t num_rows,
                  std::byte* out, size_t row_items);

}  // namespace dsi::internal
