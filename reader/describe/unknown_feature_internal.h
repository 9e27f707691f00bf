// What is said where a name stands for no feature.
#pragma once

#include <span>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/reader/file_info.h"

namespace dsi::internal {

// kInvalidArgument: the file has no such feature, and which ones are called nearly so.
Status UnknownFeature(std::string_view name, std::span<const ColumnInfo> columns);

}  // namespace dsi::internal
