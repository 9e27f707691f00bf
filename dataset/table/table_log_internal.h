// The snapshots of a table: reading them, and adding one. Adding is the only step that others see.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/fork_safe_mutex_internal.h"
#include "dsi/base/status.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/table.h"
#include "dsi/dataset/table/table_store_internal.h"

namespace dsi::internal {

// What comes of making a snapshot upon the newest: its files, and what it is (number, time and
// counts are filled in); nothing: none is to be made, and `done` is the answer.
struct NextSnapshot {
  std::optional<ManifestContent> content;
  TableSnapshot done;
};

// Thread safety: calls from many threads.
class TableLog {
 public:
  TableLog(std::unique_ptr<TableStore> store, const DatasetOptions& options)
      : store_(std::move(store)), options_(options) {}

  const TableStore& store() const { return *store_; }
  const std::shared_ptr<const TableStore>& shared_store() const { return store_; }
  const DatasetOptions& options() const { return options_; }

  // Ascending; kNotFound: no table.
  Result<std::vector<uint64_t>> Numbers() const;
  // With paths as they are written. kNotFound: there is no such snapshot.
  Result<ManifestContent> Read(uint64_t number) const;
  Result<ManifestContent> ReadNewest() const;
  // Those that are there, newest first.
  Result<std::vector<TableSnapshot>> Snapshots() const;

  // Puts what next(newest) makes of the newest snapshot behind it, and asks again where somebody
  // else was first (DS-034, DS-035).
  Result<TableSnapshot> Add(
      const std::function<Result<NextSnapshot>(const ManifestContent& newest)>& next) const;
  // The first one.
  Status AddFirst() const;

  // Who has the table open knows all snapshots up to a number, which never gets smaller, …
  uint64_t seen() const;
  void SetSeen(uint64_t number);
  // … and of those behind others' the ones that it has added itself.
  void AddOwn(uint64_t number);
  bool IsOwn(uint64_t number) const;

 private:
  Status AddText(const ManifestContent& content) const;
  Result<bool> IsInLineage(const TableSnapshot& added, std::span<const std::string> paths) const;

  std::shared_ptr<const TableStore> store_;
  DatasetOptions options_;
  mutable ForkSafeMutex seen_mutex_;  // Of these two.
  uint64_t seen_ = 0;
  std::set<uint64_t> own_;  // Greater than that.
};

// The commit or abort of a job that a snapshot remembers; null: none (DS-033).
const TableSnapshot* FindJob(const SnapshotHead& head, const std::string& job);

// kInvalidArgument unless it is an id.
Status CheckTableId(std::string_view what, const std::string& id);

// What the calls of Table do. A commit tells the log what is known by it.
Result<TableSnapshot> CommitToTable(TableLog* log, const std::string& job,
                                    std::span<const std::string> messages,
                                    const TableCommitOptions& options);
Result<uint64_t> AbortJob(const TableLog& log, const std::string& job);
Result<TableGarbage> CollectTableGarbage(const TableLog& log, const TableGcOptions& options);

}  // namespace dsi::internal
