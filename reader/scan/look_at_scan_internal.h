// Everything of the directory that a scan will look up before its first batch, read in few steps.
#pragma once

#include <cstdint>
#include <vector>

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

struct LookedAt {
  // The first pages are known while something else is still to be read, so that they are, or with
  // kPlan would be, read along.
  bool knows_pages = false;
  // By position in ScanOptions::features: the columns that the name stands for. None: it is to be
  // looked up, here or again.
  std::vector<std::vector<OpenColumn>> columns;
};

// `file` is one that is looked at through a LookAhead. Errors of the lookups are for who does them
// next: only what could not be read is one here. kIo, kTruncated.
Result<LookedAt> LookAtScan(const OpenFile& file, const ReaderOptions& reader_options,
                            const ScanOptions& options, const RowRange& range, LookFor look_for);

}  // namespace dsi::internal
