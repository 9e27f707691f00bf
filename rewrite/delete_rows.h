// Takes rows out of a file at once, without writing its pages anew (spec F-084).
//
// The file gets a list of the rows that no scan gives any more, all else stays as it is: numbers of
// rows, statistics, and the bytes of what was deleted. To be rid of those, Rewrite the file, which
// copies no deleted row.
//
// Thread safety: one change of a file at a time. Nothing throws.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/reader/row_filter.h"

namespace dsi {

struct DeleteOptions {
  // Only counts; the file stays.
  bool dry_run = false;
  uint64_t memory_bytes = 4ULL << 30;  // As ScanOptions::memory_bytes.
  // Rows looked at so far, of all; false cancels (kCancelled, nothing changed).
  std::function<bool(uint64_t rows_done, uint64_t rows_total)> progress = {};
};

struct DeleteReport {
  uint64_t num_rows = 0;          // Of the file, deleted ones among them.
  uint64_t num_deleted = 0;       // By this call.
  uint64_t num_deleted_rows = 0;  // Now.
  uint64_t file_bytes = 0;        // Now.
};

// Replaces the file by one in which the rows that pass all of `where` are deleted, atomically: who
// has it open goes on with what was there. Where no further row is deleted, nothing is written.
// Those of some users are {"user_id", Compare::kIn, {}, users}. Reads the columns of `where`, and
// copies the file. Local files only. The file's fingerprint becomes another one: a
// manifest that lists it is to be made anew.
//
// kInvalidArgument: no predicate, one that the column's kind and type do not have, a file of a
// table (delete_from_table.h). kNotFound: no such file or column. kUnsupported: a newer version
// made the file. kIo: also where the file was replaced meanwhile. Errors of scans.
DSI_EXPORT Result<DeleteReport> DeleteRows(const std::string& path,
                                           const std::vector<Predicate>& where,
                                           const DeleteOptions& options = {});

// The same of files that are one table, by the names that it has for their features: what a file
// lacks is missing there, and what overlays have is theirs. A report of each, in their order. All
// rows are found before the first file is replaced; then one file after another is, so that those
// before one that fails, which the message names, have lost their rows.
DSI_EXPORT Result<std::vector<DeleteReport>> DeleteRows(const Dataset& files,
                                                        const std::vector<Predicate>& where,
                                                        const DeleteOptions& options = {});

}  // namespace dsi
