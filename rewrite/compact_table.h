// Merges small files of a table on disk (dataset/table.h), which many jobs have appended, so that
// sessions lie together again and less is opened.
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
#include "dsi/writer/writer.h"

namespace dsi {

struct CompactOptions {
  // Files that follow each other are merged while they have no more bytes than that together. One
  // that has three quarters of it by itself stays, so that nothing is written again and again.
  uint64_t file_bytes = 512ULL << 20;
  // Also files with overlays, whatever their size: what the overlays add becomes part of the file.
  // Else they stay as they are, and so do files of equal rows that share an overlay.
  bool fold_overlays = false;
  std::string message = {};  // As TableCommitOptions::message.
  bool dry_run = false;      // Only tells what would be merged.
  // Of each file. cluster_by: empty, those of the files. `progress` is not called.
  WriterOptions writer = {};
  // Files merged so far, of those that are to be; false cancels (kCancelled; what was committed
  // stays).
  std::function<bool(uint64_t done, uint64_t total)> progress = {};
};

struct CompactReport {
  // Files that were, or would be, merged into one, overlays among them: names, "data/…".
  std::vector<std::vector<std::string>> merged;
  uint64_t bytes_before = 0;  // Of these.
  uint64_t bytes_after = 0;   // Of what they became.
  TableSnapshot snapshot;     // The newest.
};

// Replaces runs of two and more files of the newest snapshot by one file each, one commit a run:
// the order of files stays, rows of a run are clustered anew (rewrite.h), deleted ones are gone.
// Who reads an older snapshot goes on; CollectGarbage removes its files. Rows are read and written
// within the memory of `writer`.
//
// kNotFound: another job has replaced such a file meanwhile; kBadInput: or has added an overlay to
// it. Errors of Rewrite and Table::Commit.
DSI_EXPORT Result<CompactReport> CompactTable(Table* table, const CompactOptions& options = {});

}  // namespace dsi
