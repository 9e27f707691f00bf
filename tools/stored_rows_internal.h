// The rows that a verb reads: those of a file, or of many files that are one table.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/progress_internal.h"

namespace dsi::tools {

class StoredRows {
 public:
  // Rows [begin, end), counted over all files.
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  // One file is looked at by itself: it may be an overlay, which nobody else can read without its
  // base, and may know the order that its rows once had.
  static Result<StoredRows> Open(const Where& where, Progress* progress);

  const Reader* file() const { return reader_.get(); }  // Null: there are many.
  uint64_t num_rows() const;                            // Deleted ones included.
  uint64_t num_bytes() const;
  Result<std::vector<ColumnInfo>> Columns() const;
  // Parts that are looked at apart: stripes of the file, or files.
  std::vector<Span> Parts() const;
  // None is deleted, which of many files nobody knows before they are looked at.
  bool is_complete() const { return reader_ != nullptr && reader_->info().num_deleted_rows == 0; }

  // Of rows of the span those that pass; only filter and memory_bytes of the options count.
  Result<uint64_t> Count(const RowTextOptions& options, Span span) const;
  Result<std::unique_ptr<RowText>> Text(const RowTextOptions& options) const;
  Result<std::unique_ptr<Scan>> NewScan(const ScanOptions& options) const;

 private:
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<Dataset> dataset_;  // Of the two one is null.
};

// The argument WHERE of verbs that read rows, and AddOpenOptions.
void AddStoredRows(CLI::App* app, Where* where);

}  // namespace dsi::tools
