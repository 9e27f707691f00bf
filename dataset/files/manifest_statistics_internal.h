// Statistics of a file in a manifest (spec DS-014), read and written.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/file_facts_internal.h"
#include "dsi/reader/file_info.h"

namespace dsi::internal {

// `columns` are those of the file's schema. kInvalidArgument: they are none of such columns and so
// many rows.
Status ReadStatistics(simdjson::dom::element value, const std::vector<ColumnInfo>& columns,
                      uint64_t num_rows, std::vector<FileStatistics>* statistics);
void AppendStatistics(const std::vector<FileStatistics>& statistics,
                      const std::vector<ColumnInfo>& columns, std::string* out);

}  // namespace dsi::internal
