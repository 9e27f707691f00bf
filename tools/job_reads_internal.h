// What recorded jobs read of files, to see what another layout is worth.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/format/feature_use.h"

namespace dsi::tools {

struct JobReads {
  uint64_t features = 0;  // Columns that the log names and the files have.
  uint64_t times = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
};

// Of each of the uses, the first few of many, as reads of all rows of the files are planned. Opens
// the files and reads of their directories; no data.
Result<std::vector<JobReads>> CountJobReads(std::span<const FeatureUse> uses,
                                            std::span<const std::string> paths);

}  // namespace dsi::tools
