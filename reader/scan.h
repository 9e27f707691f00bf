// A scan: batches of rows of a projection, in file order.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/reader/batch.h"
#include "dsi/reader/scan_options.h"

namespace dsi {

// Thread safety: one thread at a time. The Reader must outlive the scan. Nothing throws.
// What Projection became: names and patterns stand for columns.
struct ScanColumn {
  std::string name;
  Layout layout = Layout::kPadded;
  Type dtype = Type::kInt64;
  uint32_t width = 0;    // Padded: entries per row.
  std::string set = {};  // Dense, VBE, KJT: as Projection::set.
};

class DSI_EXPORT Scan {
 public:
  virtual ~Scan();
  // Fills *batch with the next rows; false at the end. A batch is complete and verified or not
  // returned. kCorrupt names page, offset, feature; kOutOfRange names row and feature; after an
  // error the scan is over.
  virtual Result<bool> Next(Batch* batch) = 0;
  // The scan is over: Next is kCancelled, and a Next that runs ends soon, even where it waits for a
  // server. So does destruction, which cancels by itself. From any thread.
  virtual void Cancel() noexcept {}
  // Next waits for nothing: a batch that was made ahead, or the end, is there. Without
  // ScanOptions::read_ahead_bytes never.
  virtual bool is_ready() const noexcept { return false; }
  // Exact without a filter and deleted rows. With either: the most there can be, as if every row
  // passed; how many do is known only when they have been looked at (Reader::CountRows).
  virtual uint64_t num_batches() const noexcept = 0;
  // What each batch has, in the order of the projection; a position here is the ordinal that Batch
  // gives views by. The same for all batches of the scan.
  virtual std::span<const ScanColumn> columns() const noexcept = 0;
  virtual const ScanStats& stats() const noexcept = 0;
};

}  // namespace dsi
