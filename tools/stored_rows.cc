#include "dsi/tools/stored_rows_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/io/open.h"

namespace dsi::tools {

Result<StoredRows> StoredRows::Open(const Where& where, Progress* progress) {
  StoredRows rows;
  if (AreManyFiles(where.names)) {
    DSI_ASSIGN_OR_RETURN(rows.dataset_, OpenMany(where.names, progress, where.open));
    progress->Clear();
  } else {
    DSI_ASSIGN_OR_RETURN(auto file, OpenUri(where.names.front(), where.open));
    DSI_ASSIGN_OR_RETURN(rows.reader_, Reader::Open(std::move(file)));
  }
  return rows;
}

uint64_t StoredRows::num_rows() const {
  return reader_ != nullptr ? reader_->info().num_rows : dataset_->num_rows();
}

uint64_t StoredRows::num_bytes() const {
  if (reader_ != nullptr) return reader_->info().file_bytes;
  uint64_t bytes = 0;
  for (const DatasetFile& file : dataset_->files()) bytes += file.bytes;
  return bytes;
}

Result<std::vector<ColumnInfo>> StoredRows::Columns() const {
  return reader_ != nullptr ? reader_->Columns() : dataset_->Columns();
}

std::vector<StoredRows::Span> StoredRows::Parts() const {
  std::vector<Span> parts;
  if (reader_ != nullptr) {
    for (const StripeInfo& stripe : reader_->stripes())
      parts.push_back({stripe.first_row, stripe.first_row + stripe.num_rows});
  } else {
    for (const DatasetFile& file : dataset_->files())
      parts.push_back({file.first_row, file.first_row + file.num_rows});
  }
  return parts;
}

Result<uint64_t> StoredRows::Count(const RowTextOptions& options, Span span) const {
  DatasetScanOptions counted;
  ScanOptions& scan = counted.scan;
  scan.filter = options.filter;
  scan.memory_bytes = options.memory_bytes;
  if (reader_ == nullptr) {
    counted.rows = {{span.begin, span.end}};
    return dataset_->CountRows(counted);
  }
  scan.row_begin = span.begin;
  scan.row_end = span.end;
  return reader_->CountRows(scan);
}

Result<std::unique_ptr<RowText>> StoredRows::Text(const RowTextOptions& options) const {
  return reader_ != nullptr ? RowText::Create(*reader_, options)
                            : RowText::Create(*dataset_, options);
}

Result<std::unique_ptr<Scan>> StoredRows::NewScan(const ScanOptions& options) const {
  if (reader_ != nullptr) return reader_->NewScan(options);
  DatasetScanOptions all;
  all.scan = options;
  all.rows = {{options.row_begin, std::min(options.row_end, dataset_->num_rows())}};
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<Scan> scan, dataset_->NewScan(all));
  return scan;
}

void AddStoredRows(CLI::App* app, Where* where) {
  app->add_option("WHERE", where->names,
                  "A .dsi file: a path or a URL; or files, patterns, folders, tables or manifests, "
                  "which are one table")
      ->required()
      ->type_name("");
  AddOpenOptions(app, &where->open);
}

}  // namespace dsi::tools
