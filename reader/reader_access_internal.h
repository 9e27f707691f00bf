// What stands behind a Reader, for tools that look deeper than its public calls.
#pragma once

#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/reader.h"

namespace dsi::internal {

// Both live as long as the reader.
struct ReaderAccess {
  static const OpenFile& File(const Reader& reader);
  static const ReaderOptions& Options(const Reader& reader);
};

}  // namespace dsi::internal
