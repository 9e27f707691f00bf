#include "dsi/rewrite/delete_rows.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/dataset.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/rewrite/deleted_section_internal.h"
#include "dsi/rewrite/row_numbers_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;

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
Status Replaced() {
  return internal::Error(StatusCode::kIo,
                         "the file was replaced while rows of it were deleted; try again");
}

// Replaces the file, which must be the one of the fingerprint, by one without these rows.
Result<DeleteReport> DeleteFrom(const DatasetFile& of, const std::vector<uint64_t>& rows,
                                const DeleteOptions& options) {
  DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(of.path));
  const internal::OpenFile& file = internal::ReaderAccess::File(*reader);
  DeleteReport report{.num_rows = reader->info().num_rows,
                      .num_deleted = rows.size(),
                      .num_deleted_rows = file.num_deleted() + rows.size(),
                      .file_bytes = reader->info().file_bytes};
  if (rows.empty() || options.dry_run) return report;
  if (file.fingerprint() != of.fingerprint) return Replaced();
  // Where the path is a link, the file that it stands for.
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(of.path, error);
  DSI_ASSIGN_OR_RETURN(const auto out,
                       CreateLocalFile(error ? of.path : real.string(), {.overwrite = true}));
  DSI_ASSIGN_OR_RETURN(const auto section, internal::EncodeDeleted(file, rows));
  DSI_ASSIGN_OR_RETURN(report.file_bytes, internal::WriteWithDeleted(file, section, out.get()));
  DSI_ASSIGN_OR_RETURN(const auto now, Reader::Open(of.path));
  if (internal::ReaderAccess::File(*now).fingerprint() != of.fingerprint) return Replaced();
  DSI_RETURN_IF_ERROR(out->Publish());
  return report;
}

Result<std::vector<DeleteReport>> Delete(const Dataset& files, const std::vector<Predicate>& where,
                                         const DeleteOptions& options) {
  if (where.empty()) return InvalidArgument("no rows are chosen, expected a condition");
  for (const DatasetFile& file : files.files()) DSI_RETURN_IF_ERROR(CheckOfNoTable(file.path));
  DSI_ASSIGN_OR_RETURN(
      internal::RowNumbers rows,
      internal::FindRowNumbers(files, where, options.memory_bytes, options.progress));
  std::vector<DeleteReport> reports;
  for (uint32_t i = 0; i < files.files().size(); ++i) {
    const auto report = DeleteFrom(files.files()[i], rows[i], options);
    if (!report.ok()) return report.status().At(files.files()[i].path);
    reports.push_back(*report);
  }
  return reports;
}

}  // namespace

Result<DeleteReport> DeleteRows(const std::string& path, const std::vector<Predicate>& where,
                                const DeleteOptions& options) {
  return internal::NoThrow([&]() -> Result<DeleteReport> {
    DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(path));
    if (reader->info().overlay)
      return InvalidArgument("{}: an overlay; delete the rows of its base (F-087)", path);
    DSI_ASSIGN_OR_RETURN(const auto file, Dataset::Open(path));
    DSI_ASSIGN_OR_RETURN(const std::vector<DeleteReport> reports, Delete(*file, where, options));
    return reports.front();
  });
}

Result<std::vector<DeleteReport>> DeleteRows(const Dataset& files,
                                             const std::vector<Predicate>& where,
                                             const DeleteOptions& options) {
  return internal::NoThrow([&] { return Delete(files, where, options); });
}

}  // namespace dsi
