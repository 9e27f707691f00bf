// A table on disk that many jobs write: tasks stage files, one step commits all of them or none
// (spec/dataset-tables.md).
//
// A table is a folder of this machine, or s3://bucket/prefix/. What is committed is a snapshot,
// which has a number; Dataset::Open of the folder reads the newest one, of "folder@7" number 7. A
// process that dies at any step leaves the old or the new snapshot, and beside it files that
// nobody reads until CollectGarbage removes them.
//
// Thread safety: calls from many threads, processes and machines are safe. Nothing throws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"

namespace dsi {

namespace internal {
class TableLog;
struct StagedPlace;
}  // namespace internal

enum class TableOperation : uint8_t {
  kCreate,     // No files.
  kAppend,     // Those of the snapshot before, then the new ones.
  kOverwrite,  // The new ones alone.
  kReplace,    // The new ones in the place of some.
  kGc,         // Those of the snapshot before: CollectGarbage removed others.
  kAbort,      // Those of the snapshot before: the job will not commit any more.
};

// "create", "append", …
DSI_EXPORT std::string_view TableOperationName(TableOperation operation);
// False: no such name.
DSI_EXPORT bool ParseTableOperation(std::string_view name, TableOperation* operation);

struct TableSnapshot {
  uint64_t number = 0;  // From 1 on; the one before is its parent.
  TableOperation operation = TableOperation::kCreate;
  std::string job = {};
  std::string message = {};
  uint64_t time_ms = 0;  // Since 1970, by the clock of who committed.
  uint64_t num_files = 0;
  uint64_t num_rows = 0;
};

struct TableCommitOptions {
  // kAppend goes on top of whatever other jobs have committed meanwhile. kOverwrite is of the
  // snapshot that was seen, and fails where others have committed since (kAlreadyExists). kReplace
  // fails where one of `replaced` is not in the table any more (kNotFound).
  TableOperation operation = TableOperation::kAppend;
  // Of kOverwrite, the number of the snapshot that was seen; nothing: the newest when the table was
  // opened, or what it has committed itself since.
  std::optional<uint64_t> base = {};
  // Of kReplace: names of files as snapshots have them, "data/…", each once. The new files stand
  // where the first of them stood that is no overlay; as many as they are, or as those of them that
  // are no overlays, each in the place of one, in their order.
  std::vector<std::string> replaced = {};
  std::string message = {};  // For people; at most 500 bytes.
  // Of messages that are not those of an earlier try: where the job has committed others, that is
  // kInvalidArgument, not the answer.
  bool is_first_try = false;
};

struct TableGcOptions {
  // Snapshots are kept that are among the newest so many, or younger than that; the newest is.
  // Those that only hold what the one before holds (kGc, kAbort) are not counted, and kept while
  // they are young. A job reads the snapshot that it opened to its end only if it is kept so long.
  uint64_t keep = 10;
  uint64_t younger_than_ms = uint64_t{7} * 24 * 3600 * 1000;
  // Files that no kept snapshot needs are removed if they were staged longer ago than this; jobs
  // that have not committed by then cannot any more, and are told so.
  uint64_t grace_ms = uint64_t{24} * 3600 * 1000;
  bool dry_run = false;  // Only tell.
};

// What was, or would be, removed.
struct TableGarbage {
  std::vector<uint64_t> snapshots;
  std::vector<std::string> files;  // "data/…", and temporary files in "_snapshots/".
};

// A file that a task is about to add. Thread safety: one thread at a time. Destruction before
// Finish leaves a file that is there for CollectGarbage or Abort, none on other machines than the
// table's.
class DSI_EXPORT StagedFile {
 public:
  ~StagedFile();
  // Where to write it: a path of this machine, where nothing is yet. Of a table on S3 it is a
  // temporary file, which Finish uploads, a large one in parts.
  const std::string& path() const;
  // Once it was published there (Writer::Finish): its message, a JSON text for who commits. Errors:
  // kNotFound (nothing is there), those of Reader::Open, kIo; kCancelled: DatasetOptions::progress,
  // which is asked with zeros while a file is sent to S3, said so.
  Result<std::string> Finish();

 private:
  friend class Table;
  explicit StagedFile(std::unique_ptr<internal::StagedPlace> place);
  std::unique_ptr<internal::StagedPlace> place_;
};

class DSI_EXPORT Table {
 public:
  // Makes the folder where it is missing, and snapshot 1, which has no files. kAlreadyExists: a
  // table is there; kInvalidArgument: S3 that does not heed If-None-Match could lose commits.
  static Result<std::unique_ptr<Table>> Create(const std::string& where,
                                               const DatasetOptions& options = {});
  // kNotFound: no table is there.
  static Result<std::unique_ptr<Table>> Open(const std::string& where,
                                             const DatasetOptions& options = {});
  ~Table();

  // Ends in a slash.
  const std::string& where() const noexcept;
  // How it was opened; valid as long as the table.
  const OpenOptions& open_options() const noexcept;
  Result<TableSnapshot> Newest() const;
  // Those that are there, newest first.
  Result<std::vector<TableSnapshot>> Snapshots() const;

  // Begins a file. Ids of jobs and tasks are letters, digits, '.', '_' and '-', 1 to 100, and begin
  // with a letter, a digit or '_'. A task may stage several files, and a task that is run again
  // other ones: those whose messages are committed count.
  Result<std::unique_ptr<StagedFile>> Stage(const std::string& job, const std::string& task) const;
  // A copy of a file that is written already; its message. Errors: those of StagedFile::Finish.
  Result<std::string> StageCopy(const std::string& job, const std::string& task,
                                const std::string& path) const;

  // Makes the files of these messages a snapshot, in their order; a message given twice counts
  // once. A job commits once: where one of this id is among the last 1,000 commits, that snapshot
  // is the answer, and nothing is done. Files are checked against their messages, and schemas
  // against each other (DS-020 …). kAlreadyExists, kNotFound: see TableCommitOptions;
  // kInvalidArgument: the job was aborted, or not all messages are its; kBadInput: a file is not
  // what its message says, a feature cannot be reconciled (both files are named), or a file was
  // staged too long ago; kIo.
  Result<TableSnapshot> Commit(const std::string& job, std::span<const std::string> messages,
                               const TableCommitOptions& options = {});
  // Removes what the job has staged, and keeps it from committing; tells how many files were
  // removed. kInvalidArgument: it has committed.
  Result<uint64_t> Abort(const std::string& job);
  // Removes snapshots that are not kept, and files that no kept snapshot needs.
  Result<TableGarbage> CollectGarbage(const TableGcOptions& options = {});

 private:
  explicit Table(std::unique_ptr<internal::TableLog> log);
  std::unique_ptr<internal::TableLog> log_;
};

}  // namespace dsi
