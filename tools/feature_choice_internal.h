// Names and globs of features on the command line, held against a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/reader.h"

namespace dsi::tools {

// The columns that each name stands for, in the order of the names; a name may be of a feature or
// of a column, '*' and '?' match. kInvalidArgument for a name that the file lacks, with the nearest
// one. A column of an unknown kind or type is kUnsupported where it is named, and left out with a
// warning where it matches; one that files cannot be reconciled in is kBadInput in either case.
Result<std::vector<ColumnInfo>> ChooseColumns(const Reader& reader,
                                              const std::vector<std::string>& names);
Result<std::vector<ColumnInfo>> ChooseColumns(std::span<const ColumnInfo> columns,
                                              const std::vector<std::string>& names);

void WarnOfUnsupported(const ColumnInfo& column);
// Takes out all of an unknown kind or type, with a warning each. Errors: files cannot be reconciled
// in one.
Status LeaveOutUnsupported(std::vector<ColumnInfo>* columns);

// How a column is asked for where the user has not said: lists jagged, numbers one in each row.
Projection PlainProjection(const ColumnInfo& column);

}  // namespace dsi::tools
