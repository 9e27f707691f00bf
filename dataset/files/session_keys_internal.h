// What tells the sessions of a file apart.
#pragma once

#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {

// Sessions are runs of rows that are equal in these columns: all cluster keys but a last timestamp
// (F-050). None: each row is a session.
Result<std::vector<OpenColumn>> SessionKeys(const OpenFile& file);

}  // namespace dsi::internal
