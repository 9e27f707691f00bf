// Which columns draw from the same ids, where no schema says so: they share one dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

// The least hashes of a column's distinct ids, from a sample of its entries. Those of two columns
// below the lesser of their limits are of all ids alike, so that what they share is what the
// columns share.
struct IdSketch {
  int width = 8;
  uint64_t bytes = 0;            // Of the column.
  std::vector<uint64_t> hashes;  // Ascending.
  uint64_t limit = UINT64_MAX;   // Ids of greater hashes are not here.
  double distinct = 0;           // Ids, about.
  // There are many more numbers between the least and the greatest id: two columns have the same
  // ones by intention only.
  bool is_sparse = false;
};

// Of `count` ids of 4 or 8 bytes. Looks at 131,072 of them at most.
IdSketch SketchIds(const std::byte* ids, size_t count, int width, bool is_signed);

// A number for each column, equal where columns draw from the same ids. Columns that share have
// `most_bytes` together.
std::vector<uint32_t> FindIdSpaces(std::span<const IdSketch> columns, uint64_t most_bytes);

}  // namespace dsi::internal
