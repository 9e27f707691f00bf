// The door from Reader to the scan.
#pragma once

#include <memory>

#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/read_plan.h"
#include "dsi/reader/scan.h"

namespace dsi::internal {

// Errors: kInvalidArgument (options), kNotFound (names), and those of reading the directory. The
// file must outlive the scan.
Result<std::unique_ptr<Scan>> MakeScan(const OpenFile& file, const ReaderOptions& reader_options,
                                       const ScanOptions& options);

// Rows that such a scan gives. Errors as above, and those of reading the filter's columns.
Result<uint64_t> CountScanRows(const OpenFile& file, const ReaderOptions& reader_options,
                               const ScanOptions& options);

}  // namespace dsi::internal
