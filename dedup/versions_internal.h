// The states that owners go through (spec D-005): unique rows ordered by owner, then time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {

struct Versions {
  std::vector<uint32_t> steps;        // Per row, zigzag coded.
  std::vector<uint32_t> stored_rows;  // Per unique row: a row that is it.
  std::vector<uint32_t> inverse;      // Per row: its unique row.
};

// `unique`: rows by owner and content. owners[row] < num_owners, each of which has rows. An owner's
// versions are numbered in the order in which they are first met in `rows_in_time`, a permutation
// of the rows. With `reuse`, a content that comes back is the version that it was; without, it is a
// new one, so that nearly all steps are 0 or 1.
Versions NumberVersions(const UniqueRows& unique, std::span<const uint32_t> owners,
                        uint32_t num_owners, std::span<const uint32_t> rows_in_time, bool reuse);

}  // namespace dsi::internal
