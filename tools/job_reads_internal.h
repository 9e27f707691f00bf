// What recorded jobs read of files, to see what another layout is worth.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/format/feature_use.h"

namespace dsi::tools {

struct JobReads {
  uint64_t features = 0;  // Columns that the log names and the files have.
  uint64_t times = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
};

// Of each of the uses, the first few of many, as reads of all rows of the dataset are planned.
// Reads of its directories; no data.
Result<std::vector<JobReads>> CountJobReads(std::span<const FeatureUse> uses,
                                            const Dataset& dataset);

}  // namespace dsi::tools
