// Which files of a dataset have which columns.
#pragma once

#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/files/dataset_files_internal.h"

namespace dsi::internal {

// As Dataset::FilesOfColumns.
Result<std::vector<ColumnFiles>> FilesOfColumns(const DatasetFiles& files);

}  // namespace dsi::internal
