// Takes rows out of a table on disk (dataset/table.h), whose files are never changed: those that
// have such rows are replaced by others, in one commit.
//
// Thread safety: calls from many threads, processes and machines are safe, as of Table. Nothing
// throws.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/table.h"
#include "dsi/reader/row_filter.h"

namespace dsi {

struct TableDeleteOptions {
  // The id of the job that commits; empty: one is made up.
  std::string job = {};
  std::string message = {};  // As TableCommitOptions::message.
  // Write files anew without these rows, instead of copying them with a list of deleted rows, and
  // all others that still hold rows which were deleted before: `where` may then have no predicate.
  // Overlays of such a file become part of it, and so of files that share them, having equal rows.
  bool erase = false;
  bool dry_run = false;                // Only counts.
  uint64_t memory_bytes = 4ULL << 30;  // As ScanOptions::memory_bytes.
  // Rows looked at so far, of all, then files made; false cancels (kCancelled, nothing changed).
  std::function<bool(uint64_t done, uint64_t total)> progress = {};
};

struct TableDeleteReport {
  uint64_t num_rows = 0;           // Of the table before, deleted ones among them.
  uint64_t num_deleted = 0;        // By this call.
  std::vector<std::string> files;  // That were, or would be, replaced: names, "data/…".
  // The newest one where nothing was deleted, or would only be counted.
  TableSnapshot snapshot;
};

// Replaces the files of the newest snapshot that have rows for which all of `where` hold, by names
// of the table. Rows that other jobs append meanwhile stay, whatever they hold. What was deleted is
// in older snapshots until CollectGarbage removes them; without `erase` its bytes are in the new
// files as well, which no scan gives.
//
// Reads the columns of `where`, with all cores, where statistics do not rule a file or stripe out;
// copies the files that have such rows.
//
// kInvalidArgument: no predicate and nothing to erase, one that its column does not have, a job
// that has committed. kNotFound: no such column, or another job has replaced such a file meanwhile.
// kBadInput: another job has added an overlay to a file that was written anew. kUnsupported: a
// newer version made a file. Errors of scans, of Rewrite and of Table::Commit.
DSI_EXPORT Result<TableDeleteReport> DeleteFromTable(Table* table,
                                                     const std::vector<Predicate>& where,
                                                     const TableDeleteOptions& options = {});

}  // namespace dsi
