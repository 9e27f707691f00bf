// Names on the command line that stand for many files, which are one table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/tools/progress_internal.h"

namespace dsi::tools {

// Whether these names stand for more than one file: several, a folder, a pattern, a manifest, a
// snapshot of a table.
bool AreManyFiles(const std::vector<std::string>& names);
Result<std::unique_ptr<Dataset>> OpenMany(const std::vector<std::string>& names,
                                          Progress* progress);

}  // namespace dsi::tools
