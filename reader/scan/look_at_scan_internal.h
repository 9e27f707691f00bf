// Everything of the directory that a scan will look up before its first batch, read in few steps.
#pragma once

#include <cstdint>

#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/scan/row_range_internal.h"
#include "dsi/reader/scan_options.h"

namespace dsi::internal {

// What is looked at, beside the filter.
enum class LookFor : uint8_t {
  kRows,     // Nothing.
  kPlan,     // The features of the projection.
  kBatches,  // These, and the pages of the first batch, where they are known as soon as the rest.
};

// `file` is one that is looked at through a LookAhead. What the lookups find is not used, and their
// errors are for who does them next: only what could not be read is one here. kIo, kTruncated.
// True: the first pages are known while something else is still to be read, so that they are, or
// with kPlan would be, read along.
Result<bool> LookAtScan(const OpenFile& file, const ReaderOptions& reader_options,
                        const ScanOptions& options, const RowRange& range, LookFor look_for);

}  // namespace dsi::internal
