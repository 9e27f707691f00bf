// Which rows go into which shard, so that no session is in two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/rewrite/copy_rows_internal.h"
#include "dsi/rewrite/rewrite.h"

namespace dsi::internal {

struct SessionShards {
  // Rows of the dataset, those of one shard together, ascending within it.
  std::vector<uint64_t> rows;
  std::vector<size_t> ends;  // In `rows`, of each shard. One at least.

  std::span<const uint64_t> Rows(size_t shard) const {
    const size_t begin = shard == 0 ? 0 : ends[shard - 1];
    return std::span(rows).subspan(begin, ends[shard] - begin);
  }
};

// Reads the keys of all rows of `copy`, whose plan is that of the files to write.
Result<SessionShards> FindSessionShards(const RowCopy& copy, uint64_t max_rows);

}  // namespace dsi::internal
