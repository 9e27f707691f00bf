#include "dsi/rewrite/delete_rows.h"

#include <memory>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/rewrite/deleted_section_internal.h"
#include "dsi/rewrite/key_set_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;
using internal::QuoteForMessage;

Result<ColumnInfo> FindColumn(const Reader& reader, const std::string& name) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, reader.Columns());
  internal::NearNames near(name, 3);
  for (const ColumnInfo& column : columns) {
    if (column.name == name) {
      DSI_RETURN_IF_ERROR(column.support);
      return column;
    }
    near.Offer(column.name);
  }
  return InvalidArgument("no column is called {}{}", QuoteForMessage(name), near.Advice());
}

// Rows of the file that are to go and have not gone before.
Result<std::vector<uint64_t>> FindRows(const Reader& reader, const RowsToDelete& which,
                                       const DeleteOptions& options) {
  const std::string& name = which.key.empty() ? which.where[0].column : which.key;
  DSI_ASSIGN_OR_RETURN(const ColumnInfo column, FindColumn(reader, name));
  internal::KeySet keys;
  if (!which.key.empty()) {
    DSI_ASSIGN_OR_RETURN(keys, internal::KeySet::Make(column, which.values));
  }
  ScanOptions scan_options;
  scan_options.batch_size = 65'536;
  scan_options.memory_bytes = options.memory_bytes;
  scan_options.filter.where = which.where;
  Projection& asked = scan_options.features.emplace_back();
  asked.name = name;
  asked.layout = column.type == Type::kBytes ? Layout::kJagged : Layout::kPadded;
  asked.width = 1;
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(scan_options));
  std::vector<uint64_t> found;
  std::vector<size_t> rows;
  Batch batch;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    const uint64_t done = scan->stats().rows + scan->stats().rows_dropped;
    if (options.progress && !options.progress(done, reader.info().num_rows))
      return internal::Error(StatusCode::kCancelled, "cancelled by the progress callback");
    if (!more) return found;
    if (which.key.empty()) {
      rows.resize(batch.num_rows());
      for (size_t row = 0; row < rows.size(); ++row) rows[row] = row;
    } else {
      DSI_RETURN_IF_ERROR(keys.Find(batch, &rows));
    }
    const auto numbers = batch.row_numbers();
    for (const size_t row : rows)
      found.push_back(numbers.empty() ? batch.first_row() + row : numbers[row]);
  }
}

// Between our reading and now somebody else may have written the file.
Status CheckUnchanged(const std::string& path, uint64_t fingerprint) {
  DSI_ASSIGN_OR_RETURN(const auto now, Reader::Open(path));
  if (internal::ReaderAccess::File(*now).fingerprint() == fingerprint) return Status::Ok();
  return internal::Error(StatusCode::kIo,
                         "the file was replaced while rows of it were deleted; try again");
}

}  // namespace

Result<DeleteReport> DeleteRows(const std::string& path, const RowsToDelete& which,
                                const DeleteOptions& options) {
  return internal::NoThrow([&]() -> Result<DeleteReport> {
    if (which.key.empty() && which.where.empty())
      return InvalidArgument("no rows are chosen, expected a key or a condition");
    if (which.key.empty() != which.values.empty())
      return InvalidArgument("a key and values of it are given together");
    DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(path));
    const internal::OpenFile& file = internal::ReaderAccess::File(*reader);
    if (file.overlay())
      return InvalidArgument("{}: an overlay; delete the rows of its base (F-087)", path);
    const auto rows = FindRows(*reader, which, options);
    if (!rows.ok()) return rows.status().At(path);
    DeleteReport report{.num_rows = reader->info().num_rows,
                        .num_deleted = rows->size(),
                        .num_deleted_rows = file.num_deleted() + rows->size(),
                        .file_bytes = reader->info().file_bytes};
    if (rows->empty() || options.dry_run) return report;
    DSI_ASSIGN_OR_RETURN(const auto out, CreateLocalFile(path, {.overwrite = true}));
    const auto section = internal::EncodeDeleted(file, *rows);
    if (!section.ok()) return section.status().At(path);
    const auto bytes = internal::WriteWithDeleted(file, *section, out.get());
    if (!bytes.ok()) return bytes.status().At(path);
    report.file_bytes = *bytes;
    const Status unchanged = CheckUnchanged(path, file.fingerprint());
    if (!unchanged.ok()) return unchanged.At(path);
    DSI_RETURN_IF_ERROR(out->Publish());
    return report;
  });
}

}  // namespace dsi
