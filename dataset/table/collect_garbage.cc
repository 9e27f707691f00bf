// What no snapshot needs is removed. Files are removed after a snapshot was added that says from
// when on staged files count (DS-038): a commit that has not seen it has lost the race for its
// number, and looks again.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/table/table_log_internal.h"

namespace dsi::internal {
namespace {

// Files as before, and a head of its own.
ManifestContent SameFiles(const ManifestContent& newest, TableOperation operation,
                          const std::string& job, uint64_t horizon_ms) {
  ManifestContent made = newest;
  made.snapshot = SnapshotHead();
  made.snapshot.self.operation = operation;
  made.snapshot.self.job = job;
  made.snapshot.horizon_ms = horizon_ms;
  return made;
}

void AddPaths(const ManifestContent& content, std::unordered_set<std::string>* needed) {
  needed->insert(content.paths.begin(), content.paths.end());
}

class GarbageSearch {
 public:
  GarbageSearch(const TableLog& log, const TableGcOptions& options)
      : log_(log), options_(options), now_ms_(TableClockMs()) {}

  uint64_t horizon_ms() const { return now_ms_ - std::min(now_ms_, options_.grace_ms); }

  // Of a table whose newest snapshot is this.
  Result<TableGarbage> Find(const ManifestContent& newest) const {
    TableGarbage garbage;
    std::unordered_set<std::string> needed;
    AddPaths(newest, &needed);
    DSI_RETURN_IF_ERROR(FindSnapshots(newest, &garbage.snapshots, &needed));
    DSI_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                         log_.store().List(std::string(kDataFolder)));
    for (const std::string& name : names) {
      const auto parsed = ParseDataName(name);
      if (parsed && parsed->time_ms < horizon_ms() && !needed.contains(name))
        garbage.files.push_back(name);
    }
    std::sort(garbage.files.begin(), garbage.files.end());
    return garbage;
  }

  // Left by committers that died. Of a number that is taken nobody needs one any more.
  Result<std::vector<std::string>> FindTemporaryFiles(uint64_t newest) const {
    std::vector<std::string> found;
    DSI_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                         log_.store().List(std::string(kSnapshotFolder)));
    for (const std::string& name : names) {
      // "_snapshots/.00000000000000000007.json.PID.N.tmp"
      const size_t dot = kSnapshotFolder.size();
      if (!name.ends_with(".tmp") || name.size() <= dot || name[dot] != '.') continue;
      const std::string stem = name.substr(dot + 1);
      const size_t size = SnapshotName(1).size() - dot;
      const auto number = SnapshotNumber(std::string(kSnapshotFolder) + stem.substr(0, size));
      if (number && *number <= newest) found.push_back(name);
    }
    return found;
  }

 private:
  bool IsYoung(const TableSnapshot& one) const {
    return one.time_ms > now_ms_ || now_ms_ - one.time_ms < options_.younger_than_ms;
  }

  // Those that go, oldest first; what the others need is added.
  Status FindSnapshots(const ManifestContent& newest, std::vector<uint64_t>* garbage,
                       std::unordered_set<std::string>* needed) const {
    DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, log_.Numbers());
    const SnapshotHead& head = newest.snapshot;
    const auto counts = [](const TableSnapshot& one) {
      return one.operation != TableOperation::kGc && one.operation != TableOperation::kAbort;
    };
    // What holds the same as the one before it is worth keeping while it is the newest.
    uint64_t num_kept = counts(head.self) ? 1 : 0;
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
      if (*number >= head.self.number) continue;
      const uint64_t back = head.self.number - *number;
      const bool is_remembered = back <= head.history.size();
      const bool is_repeated = is_remembered && !counts(head.history[back - 1]);
      const bool may_go = num_kept >= options_.keep || is_repeated;
      if (is_remembered && may_go && !IsYoung(head.history[back - 1])) {
        garbage->push_back(*number);
        continue;
      }
      auto content = log_.Read(*number);
      if (content.status().code() == StatusCode::kNotFound) continue;  // Removed meanwhile.
      if (!content.ok()) return content.status();
      const TableSnapshot& self = content->snapshot.self;
      // DS-035: it has lost its place in the table.
      const bool is_astray = is_remembered && self.job != head.history[back - 1].job;
      if (is_astray || (may_go && !IsYoung(self))) {
        garbage->push_back(*number);
        continue;
      }
      if (counts(self)) ++num_kept;
      AddPaths(*content, needed);
    }
    std::reverse(garbage->begin(), garbage->end());
    return Status::Ok();
  }

  const TableLog& log_;
  const TableGcOptions& options_;
  const uint64_t now_ms_;
};

// A job that commits once has its files in snapshots that follow each other. One that the newest
// snapshot has forgotten had committed before all that are remembered, so of these the oldest that
// is there tells for all.
Status CheckUncommitted(const TableLog& log, const ManifestContent& newest, const std::string& job,
                        const std::vector<std::string>& names) {
  const std::unordered_set<std::string> staged(names.begin(), names.end());
  const auto check = [&](const ManifestContent& content) -> Status {
    for (const std::string& path : content.paths) {
      if (!staged.contains(path)) continue;
      return InvalidArgument(
          "job {} has committed: snapshot {} has its file {}; none of them is removed, expected a "
          "job that has not committed (delete takes rows out of a table)",
          job, content.snapshot.self.number, path);
    }
    return Status::Ok();
  };
  DSI_RETURN_IF_ERROR(check(newest));
  const SnapshotHead& head = newest.snapshot;
  const bool knows_all = head.self.number == head.history.size() + 1;
  if (staged.empty() || knows_all) return Status::Ok();
  DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, log.Numbers());
  for (const uint64_t number : numbers) {
    if (number >= head.self.number) break;
    const auto content = log.Read(number);
    if (content.status().code() == StatusCode::kNotFound) continue;  // Removed meanwhile.
    if (!content.ok()) return content.status();
    const uint64_t back = head.self.number - number;
    const bool is_remembered = back <= head.history.size();
    // DS-035: it has lost its place in the table.
    if (is_remembered && content->snapshot.self.job != head.history[back - 1].job) continue;
    DSI_RETURN_IF_ERROR(check(*content));
    if (is_remembered) break;
  }
  return Status::Ok();
}

}  // namespace

Result<TableGarbage> CollectTableGarbage(const TableLog& log, const TableGcOptions& options) {
  if (options.keep == 0) return InvalidArgument("keep: at least the newest snapshot is kept");
  const GarbageSearch search(log, options);
  TableGarbage garbage;
  uint64_t newest_number = 0;
  const std::string job = "gc-" + RandomDigits();
  const auto added = log.Add([&](const ManifestContent& newest) -> Result<NextSnapshot> {
    newest_number = newest.snapshot.self.number;
    DSI_ASSIGN_OR_RETURN(garbage, search.Find(newest));
    NextSnapshot next{.content = {}, .done = newest.snapshot.self};
    if (!garbage.files.empty() && !options.dry_run)
      next.content = SameFiles(newest, TableOperation::kGc, job, search.horizon_ms());
    return next;
  });
  DSI_RETURN_IF_ERROR(added.status());
  DSI_ASSIGN_OR_RETURN(const std::vector<std::string> temporary,
                       search.FindTemporaryFiles(newest_number));
  if (!options.dry_run) {
    std::vector<std::string> names;
    for (const uint64_t number : garbage.snapshots) names.push_back(SnapshotName(number));
    names.insert(names.end(), temporary.begin(), temporary.end());
    // A snapshot goes before its files, for good.
    DSI_RETURN_IF_ERROR(log.store().Remove(names));
    DSI_RETURN_IF_ERROR(log.store().Remove(garbage.files));
  }
  garbage.files.insert(garbage.files.end(), temporary.begin(), temporary.end());
  return garbage;
}

Result<uint64_t> AbortJob(const TableLog& log, const std::string& job) {
  DSI_RETURN_IF_ERROR(CheckTableId("job", job));
  std::vector<std::string> names;
  const auto list = [&]() -> Status {
    names.clear();
    DSI_ASSIGN_OR_RETURN(const std::vector<std::string> found,
                         log.store().List(std::string(kDataFolder) + job + "/"));
    for (const std::string& name : found) {
      const auto parsed = ParseDataName(name);
      if (parsed && parsed->job == job) names.push_back(name);
    }
    return Status::Ok();
  };
  const auto added = log.Add([&](const ManifestContent& newest) -> Result<NextSnapshot> {
    const TableSnapshot* const done = FindJob(newest.snapshot, job);
    if (done != nullptr && done->operation != TableOperation::kAbort)
      return InvalidArgument("job {} has committed snapshot {}", job, done->number);
    DSI_RETURN_IF_ERROR(list());
    DSI_RETURN_IF_ERROR(CheckUncommitted(log, newest, job, names));
    NextSnapshot next{.content = {}, .done = newest.snapshot.self};
    // Whoever still commits this job finds it there before its files are gone.
    if (done == nullptr && !names.empty())
      next.content = SameFiles(newest, TableOperation::kAbort, job, 0);
    return next;
  });
  DSI_RETURN_IF_ERROR(added.status());
  DSI_RETURN_IF_ERROR(log.store().Remove(names));
  return names.size();
}

}  // namespace dsi::internal
