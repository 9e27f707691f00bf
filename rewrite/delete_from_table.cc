#include "dsi/rewrite/delete_from_table.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/dataset/files/snapshot_head_internal.h"
#include "dsi/io/file.h"
#include "dsi/io/open.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/rewrite/cancelled_internal.h"
#include "dsi/rewrite/deleted_section_internal.h"
#include "dsi/rewrite/rewrite.h"
#include "dsi/rewrite/row_numbers_internal.h"
#include "dsi/rewrite/table_files_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;

class TableDeletion {
 public:
  TableDeletion(Table* table, const TableDeleteOptions& options)
      : table_(*table),
        options_(options),
        job_(options.job.empty() ? "delete-" + internal::RandomDigits() : options.job) {}

  Result<TableDeleteReport> Run(const std::vector<Predicate>& where) {
    DSI_ASSIGN_OR_RETURN(report_.snapshot, table_.Newest());
    if (report_.snapshot.num_files == 0) return std::move(report_);
    DSI_ASSIGN_OR_RETURN(dataset_, internal::OpenSnapshot(table_, report_.snapshot));
    report_.num_rows = dataset_->num_rows();
    if (!where.empty()) {
      DSI_ASSIGN_OR_RETURN(rows_, internal::FindRowNumbers(*dataset_, where, options_.memory_bytes,
                                                           options_.progress));
    }
    if (options_.erase) {
      DSI_RETURN_IF_ERROR(FindDeleted());
      TakeEqualFiles();
    }
    for (const auto& [file, rows] : rows_) {
      report_.files.push_back(internal::NameInTable(table_, dataset_->files()[file].path));
      report_.num_deleted += rows.size();
    }
    if (options_.erase) AddOverlays();
    if (rows_.empty() || options_.dry_run) return std::move(report_);
    DSI_RETURN_IF_ERROR(CheckJobIsNew());
    std::vector<std::string> messages;
    for (const auto& [file, rows] : rows_) {
      if (options_.progress && !options_.progress(messages.size(), rows_.size()))
        return internal::CancelledByProgress();
      const auto message = StageWithout(dataset_->files()[file], rows);
      if (!message.ok()) return message.status().At(dataset_->files()[file].path);
      messages.push_back(*message);
    }
    const TableCommitOptions commit{.operation = TableOperation::kReplace,
                                    .replaced = report_.files,
                                    .message = options_.message,
                                    .is_first_try = !options_.job.empty()};
    DSI_ASSIGN_OR_RETURN(report_.snapshot, table_.Commit(job_, messages, commit));
    return std::move(report_);
  }

 private:
  Status IsUsed(const TableSnapshot& by) const {
    return InvalidArgument(
        "job {} has committed snapshot {} ({}), and no row is deleted by it again; give each "
        "deletion a job of its own",
        job_, by.number, TableOperationName(by.operation));
  }

  // Before files are made that nobody commits. What snapshots that are gone did Commit tells.
  Status CheckJobIsNew() const {
    if (options_.job.empty()) return Status::Ok();
    DSI_ASSIGN_OR_RETURN(const std::vector<TableSnapshot> snapshots, table_.Snapshots());
    for (const TableSnapshot& one : snapshots) {
      if (one.job == job_ && one.operation != TableOperation::kAbort) return IsUsed(one);
    }
    return Status::Ok();
  }

  // Files that still hold rows that were deleted before, looked at beside each other.
  Status FindDeleted() {
    const internal::DatasetFiles& files = internal::DatasetAccess::Files(*dataset_);
    std::vector<size_t> others;
    for (uint32_t i = 0; i < files.files().size(); ++i) {
      if (!rows_.contains(i)) others.push_back(i);
    }
    std::vector<uint8_t> has_deleted(files.files().size());
    DSI_RETURN_IF_ERROR(files.ForFiles(others, [&](size_t i) -> Status {
      DSI_ASSIGN_OR_RETURN(const auto reader, files.Acquire(i));
      has_deleted[i] = reader->info().num_deleted_rows != 0;
      return Status::Ok();
    }));
    for (const size_t i : others) {
      if (has_deleted[i] != 0) rows_[static_cast<uint32_t>(i)];
    }
    return Status::Ok();
  }

  // An overlay that files of equal rows share goes with all of them.
  void TakeEqualFiles() {
    const std::span<const DatasetFile> files = dataset_->files();
    for (bool any = true; std::exchange(any, false);) {
      const std::set<std::string> gone = OverlaysOfFiles();
      for (uint32_t i = 0; i < files.size(); ++i) {
        const auto goes = [&](const std::string& overlay) { return gone.contains(overlay); };
        if (!rows_.contains(i) && std::ranges::any_of(files[i].overlays, goes)) {
          rows_[i];
          any = true;
        }
      }
    }
  }

  // What they hold goes into the files that are written anew.
  void AddOverlays() {
    for (const std::string& overlay : OverlaysOfFiles())
      report_.files.push_back(internal::NameInTable(table_, overlay));
  }

  std::set<std::string> OverlaysOfFiles() const {
    std::set<std::string> overlays;
    for (const auto& of_file : rows_) {
      const std::vector<std::string>& own = dataset_->files()[of_file.first].overlays;
      overlays.insert(own.begin(), own.end());
    }
    return overlays;
  }

  Result<std::unique_ptr<Reader>> Open(const std::string& path) const {
    DSI_ASSIGN_OR_RETURN(auto source, OpenUri(path, table_.open_options()));
    return Reader::Open(std::move(source));
  }

  // Makes a file without the rows, and gives its message.
  Result<std::string> StageWithout(const DatasetFile& from, const std::vector<uint64_t>& rows) {
    DSI_ASSIGN_OR_RETURN(const auto reader, Open(from.path));
    const internal::OpenFile& file = internal::ReaderAccess::File(*reader);
    DSI_ASSIGN_OR_RETURN(const auto section, internal::EncodeDeleted(file, rows));
    DSI_ASSIGN_OR_RETURN(const auto staged, table_.Stage(job_, "delete"));
    if (!options_.erase) {
      DSI_RETURN_IF_ERROR(WriteMarked(file, section, staged->path()));
      return staged->Finish();
    }
    const size_t folder = staged->path().rfind('/') + 1;
    const std::string marked =
        staged->path().substr(0, folder) + "." + staged->path().substr(folder) + ".marked.tmp";
    Status status = WriteMarked(file, section, marked);
    if (status.ok()) status = WriteAnew(marked, from.overlays, staged->path());
    (void)unlink(marked.c_str());
    DSI_RETURN_IF_ERROR(status);
    return staged->Finish();
  }

  static Status WriteMarked(const internal::OpenFile& file, std::span<const std::byte> section,
                            const std::string& to) {
    DSI_ASSIGN_OR_RETURN(const auto out, CreateLocalFile(to, {}));
    DSI_RETURN_IF_ERROR(internal::WriteWithDeleted(file, section, out.get()).status());
    return out->Publish();
  }

  // The marked copy has the rows that its overlays are bound to.
  Status WriteAnew(const std::string& marked, const std::vector<std::string>& overlays,
                   const std::string& to) const {
    std::vector<std::string> where = {marked};
    where.insert(where.end(), overlays.begin(), overlays.end());
    DatasetOptions how;
    how.open = table_.open_options();
    DSI_ASSIGN_OR_RETURN(const auto one, Dataset::Open(where, how));
    RewriteOptions options;
    options.writer.memory_bytes = options_.memory_bytes;
    return Rewrite(*one, to, options).status();
  }

  Table& table_;
  const TableDeleteOptions& options_;
  const std::string job_;
  std::unique_ptr<Dataset> dataset_;
  std::map<uint32_t, std::vector<uint64_t>> rows_;
  TableDeleteReport report_;
};

}  // namespace

Result<TableDeleteReport> DeleteFromTable(Table* table, const std::vector<Predicate>& where,
                                          const TableDeleteOptions& options) {
  return internal::NoThrow([&]() -> Result<TableDeleteReport> {
    if (where.empty() && !options.erase)
      return InvalidArgument("no rows are chosen, expected a condition");
    return TableDeletion(table, options).Run(where);
  });
}

}  // namespace dsi
