// The rows a scan is asked for, and the stripes they lie in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/scan_options.h"

namespace dsi::internal {

struct RowRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  size_t first_stripe = 0;
  size_t end_stripe = 0;
};

// kInvalidArgument where the range starts behind its end or that of the file.
Result<RowRange> FindRange(const OpenFile& file, const ScanOptions& options);

}  // namespace dsi::internal
