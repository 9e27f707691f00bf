#include "dsi/rewrite/delete_rows.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/rewrite/cancelled_internal.h"
#include "dsi/rewrite/deleted_section_internal.h"
#include "dsi/rewrite/row_numbers_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;

// Rows of the file that are to go and have not gone before.
Result<std::vector<uint64_t>> FindRows(const Reader& reader, const std::vector<Predicate>& where,
                                       const DeleteOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, reader.Columns());
  const ScanOptions scan_options = internal::RowNumberScan(where, columns, options.memory_bytes);
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(scan_options));
  std::vector<uint64_t> found;
  Batch batch;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    const uint64_t done = scan->stats().rows + scan->stats().rows_dropped;
    if (options.progress && !options.progress(done, reader.info().num_rows))
      return internal::CancelledByProgress();
    if (!more) return found;
    const auto rows = batch.row_numbers();
    found.insert(found.end(), rows.begin(), rows.end());
  }
}

// Files of a table (spec DS-036) are never changed: snapshots say what is in them.
Status CheckOfNoTable(const std::string& path) {
  std::error_code error;
  const std::filesystem::path data =
      std::filesystem::weakly_canonical(path, error).parent_path().parent_path();
  if (error || data.filename() != "data") return Status::Ok();
  const std::filesystem::path table = data.parent_path();
  if (!std::filesystem::is_directory(table / "_snapshots", error)) return Status::Ok();
  return InvalidArgument(
      "{}: a file of the table {}, which is not changed; delete the rows from the table", path,
      table.string());
}

// Between our reading and now somebody else may have written the file.
Status CheckUnchanged(const std::string& path, uint64_t fingerprint) {
  DSI_ASSIGN_OR_RETURN(const auto now, Reader::Open(path));
  if (internal::ReaderAccess::File(*now).fingerprint() == fingerprint) return Status::Ok();
  return internal::Error(StatusCode::kIo,
                         "the file was replaced while rows of it were deleted; try again");
}

}  // namespace

Result<DeleteReport> DeleteRows(const std::string& path, const std::vector<Predicate>& where,
                                const DeleteOptions& options) {
  return internal::NoThrow([&]() -> Result<DeleteReport> {
    if (where.empty()) return InvalidArgument("no rows are chosen, expected a condition");
    DSI_RETURN_IF_ERROR(CheckOfNoTable(path));
    DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(path));
    const internal::OpenFile& file = internal::ReaderAccess::File(*reader);
    if (file.overlay())
      return InvalidArgument("{}: an overlay; delete the rows of its base (F-087)", path);
    const auto rows = FindRows(*reader, where, options);
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
