// What stands behind a Dataset.
#pragma once

#include <memory>
#include <utility>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/files/dataset_files_internal.h"

namespace dsi::internal {

struct DatasetAccess {
  static const DatasetFiles& Files(const Dataset& dataset) { return *dataset.files_; }
  static std::unique_ptr<Dataset> Make(std::unique_ptr<DatasetFiles> files) {
    return std::unique_ptr<Dataset>(new Dataset(std::move(files)));
  }
};

}  // namespace dsi::internal
