// A scan: batches of rows of a projection, in file order.
#pragma once

#include <cstdint>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/reader/batch.h"
#include "dsi/reader/scan_options.h"

namespace dsi {

// Thread safety: one thread at a time. The Reader must outlive the scan. Nothing throws.
class DSI_EXPORT Scan {
 public:
  virtual ~Scan();
  // Fills *batch with the next rows; false at the end. A batch is complete and verified or not
  // returned. kCorrupt names page, offset, feature; kOutOfRange names row and feature; after an
  // error the scan is over.
  virtual Result<bool> Next(Batch* batch) = 0;
  // Exact without a filter. With one: the most there can be, as if every row passed; how many rows
  // do pass is known only when the filter's columns have been read (Reader::CountRows).
  virtual uint64_t num_batches() const noexcept = 0;
  virtual const ScanStats& stats() const noexcept = 0;
};

}  // namespace dsi
