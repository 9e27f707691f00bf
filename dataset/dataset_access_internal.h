// What stands behind a Dataset.
#pragma once

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/files/dataset_files_internal.h"

namespace dsi::internal {

struct DatasetAccess {
  static const DatasetFiles& Files(const Dataset& dataset) { return *dataset.files_; }
};

}  // namespace dsi::internal
