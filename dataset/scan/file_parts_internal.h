// Rows of a dataset by the files that they lie in.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/order/selected_rows_internal.h"

namespace dsi::internal {

struct FilePart {
  uint32_t file = 0;
  std::vector<RowSpan> rows;  // Of the file.
};

// Which rows of which files these are; spans ascend.
std::vector<FilePart> PartsOf(const DatasetFiles& dataset, const std::vector<RowSpan>& rows);

}  // namespace dsi::internal
