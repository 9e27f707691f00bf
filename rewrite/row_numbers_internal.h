// Which rows of files are to go.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

// Rows of each file that are not deleted and for which all of `where` hold, which is not empty; by
// the file's position, ascending. Files without such rows are not among them. What a file lacks is
// missing there. The progress is told how many rows were looked at; false: kCancelled.
using RowNumbers = std::map<uint32_t, std::vector<uint64_t>>;
Result<RowNumbers> FindRowNumbers(const Dataset& dataset, const std::vector<Predicate>& where,
                                  uint64_t memory_bytes,
                                  const std::function<bool(uint64_t, uint64_t)>& progress);

}  // namespace dsi::internal
