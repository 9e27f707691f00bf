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
#include "dsi/reader/row_filter.h"

namespace dsi {

// Rows that have one of the values and pass all of `where`. One of the two is not empty.
struct RowsToDelete {
  // A column of one whole number or string per row. Empty: rows of any value.
  std::string key = {};
  // As text: whole numbers in decimal, strings as they are. One that the column's type does not
  // hold is in no row.
  std::vector<std::string> values = {};
  std::vector<Predicate> where = {};
};

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

// Replaces the file by one with the rows deleted, atomically: who has it open goes on with what was
// there. Where no further row is deleted, nothing is written. Reads the key and the columns of
// `where`, and copies the file. Local files only. The file's fingerprint becomes another one: a
// manifest that lists it is to be made anew.
//
// kInvalidArgument: no choice of rows, no such column, a key that is no whole number or string, a
// value that is no whole number. kNotFound: no such file. kUnsupported: a newer version made the
// file. kIo: also where the file was replaced meanwhile. Errors of scans.
DSI_EXPORT Result<DeleteReport> DeleteRows(const std::string& path, const RowsToDelete& which,
                                           const DeleteOptions& options = {});

}  // namespace dsi
