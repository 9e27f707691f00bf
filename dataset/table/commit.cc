// Staged files become part of a table. They are looked at once; what the snapshot before says of
// its files is taken from there, and no file of it is opened.
#include <simdjson.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/file_schema_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/dataset/table/replaced_files_internal.h"
#include "dsi/dataset/table/staged_file_internal.h"
#include "dsi/dataset/table/table_log_internal.h"

namespace dsi::internal {
namespace {

class TableCommit {
 public:
  TableCommit(TableLog* log, const std::string& job, const TableCommitOptions& options)
      : log_(*log), job_(job), options_(options), base_(options.base.value_or(log->seen())) {}

  Status CheckOptions() const;
  Status ReadMessages(std::span<const std::string> texts);
  Result<TableSnapshot> Run() {
    DSI_ASSIGN_OR_RETURN(const TableSnapshot made,
                         log_.Add([this](const ManifestContent& newest) { return Next(newest); }));
    // What others have committed before it is not seen by that.
    if (knows_all_before_) {
      log_.SetSeen(made.number);
    } else {
      log_.AddOwn(made.number);
    }
    return made;
  }

 private:
  Result<NextSnapshot> Next(const ManifestContent& newest);
  Status LookAtFiles();
  const TableSnapshot* FindUnknown(const SnapshotHead& newest) const;
  bool RemembersBase(const SnapshotHead& newest) const;
  Status CheckBase(const SnapshotHead& newest) const;
  Status CheckHorizon(const SnapshotHead& newest) const;
  Status CheckSchemas(ManifestContent* made) const;
  bool HasAnyOf(const ManifestContent& newest) const;
  Result<ManifestContent> Merge(const ManifestContent& newest) const;
  Status FindBasesAnew(ManifestContent* made) const;

  TableLog& log_;
  const std::string& job_;
  const TableCommitOptions& options_;
  const uint64_t base_;
  std::vector<StagedMessage> messages_;
  bool was_looked_at_ = false;
  bool knows_all_before_ = false;  // Of the snapshot that was made.
  ManifestContent staged_;         // Paths are those of the messages.
};

Status TableCommit::CheckOptions() const {
  DSI_RETURN_IF_ERROR(CheckTableId("job", job_));
  const TableOperation operation = options_.operation;
  const bool is_replace = operation == TableOperation::kReplace;
  if (operation != TableOperation::kAppend && operation != TableOperation::kOverwrite &&
      !is_replace) {
    return InvalidArgument("{}: a commit appends, overwrites or replaces",
                           TableOperationName(operation));
  }
  if (is_replace == options_.replaced.empty())
    return InvalidArgument("files that are replaced are named by a replace, and by it alone");
  std::unordered_set<std::string_view> replaced;
  for (const std::string& name : options_.replaced) {
    if (!replaced.insert(name).second)
      return InvalidArgument("{}: to be replaced, and named twice", QuoteForMessage(name));
  }
  if (options_.base && operation != TableOperation::kOverwrite)
    return InvalidArgument("the snapshot that was seen is that of an overwrite");
  if (options_.message.size() > kMaxMessageBytes || !simdjson::validate_utf8(options_.message))
    return InvalidArgument("message: expected at most {} bytes of UTF-8", kMaxMessageBytes);
  return Status::Ok();
}

Status TableCommit::ReadMessages(std::span<const std::string> texts) {
  std::unordered_set<std::string> names;
  for (const std::string& text : texts) {
    DSI_ASSIGN_OR_RETURN(StagedMessage message, ParseMessage(text));
    if (message.job != job_) {
      return InvalidArgument("{}: a file of job {}, and {} commits", message.name, message.job,
                             job_);
    }
    if (names.insert(message.name).second) messages_.push_back(std::move(message));
  }
  return Status::Ok();
}

Status TableCommit::LookAtFiles() {
  if (std::exchange(was_looked_at_, true) || messages_.empty()) return Status::Ok();
  const std::string& root = log_.store().root();
  std::vector<std::string> paths;
  for (const StagedMessage& message : messages_) paths.push_back(root + message.name);
  DSI_ASSIGN_OR_RETURN(const auto files, DatasetFiles::OpenApart(paths, log_.options()));
  for (size_t i = 0; i < messages_.size(); ++i) {
    const DatasetFile& file = files->files()[i];
    const StagedMessage& message = messages_[i];
    if (file.bytes == message.bytes && file.num_rows == message.num_rows &&
        file.fingerprint == message.fingerprint) {
      continue;
    }
    return BadInput("{}: {} bytes, {} rows, fingerprint {:016x}; its message says {}, {}, {:016x}",
                    paths[i], file.bytes, file.num_rows, file.fingerprint, message.bytes,
                    message.num_rows, message.fingerprint);
  }
  DSI_ASSIGN_OR_RETURN(staged_, files->Content({}));
  for (size_t i = 0; i < messages_.size(); ++i) staged_.paths[i] = messages_[i].name;
  return Status::Ok();
}

// The last commit by others since what was seen; gc and abort change no files. Null: none that is
// remembered.
const TableSnapshot* TableCommit::FindUnknown(const SnapshotHead& newest) const {
  const auto is_unknown = [&](const TableSnapshot& one) {
    return one.number > base_ && one.operation != TableOperation::kGc &&
           one.operation != TableOperation::kAbort && (options_.base || !log_.IsOwn(one.number));
  };
  if (is_unknown(newest.self)) return &newest.self;
  const auto found = std::find_if(newest.history.begin(), newest.history.end(), is_unknown);
  return found == newest.history.end() ? nullptr : &*found;
}

// Of all snapshots since what was seen it tells what they are.
bool TableCommit::RemembersBase(const SnapshotHead& newest) const {
  return base_ + 1 >= newest.self.number - newest.history.size();
}

// What was seen is still what the table holds.
Status TableCommit::CheckBase(const SnapshotHead& newest) const {
  if (options_.operation != TableOperation::kOverwrite) return Status::Ok();
  if (base_ == 0 || base_ > newest.self.number) {
    return InvalidArgument("snapshot {} was not seen; the newest is {}", base_, newest.self.number);
  }
  if (const TableSnapshot* const by = FindUnknown(newest)) {
    return Error(StatusCode::kAlreadyExists,
                 "{}: snapshot {} was to be overwritten, and job {} has committed {} ({}) since; "
                 "open the table anew and look at what it holds",
                 log_.store().root(), base_, by->job, by->number,
                 TableOperationName(by->operation));
  }
  if (RemembersBase(newest)) return Status::Ok();
  return Error(StatusCode::kAlreadyExists, "{}: {} snapshots were added since {} was seen",
               log_.store().root(), newest.self.number - base_, base_);
}

// Whether a file of these messages is there, as when a commit's answer was lost.
bool TableCommit::HasAnyOf(const ManifestContent& newest) const {
  return std::ranges::any_of(messages_, [&](const StagedMessage& message) {
    return std::ranges::find(newest.paths, message.name) != newest.paths.end();
  });
}

// DS-038: whoever removes files has said so in a snapshot before.
Status TableCommit::CheckHorizon(const SnapshotHead& newest) const {
  for (const StagedMessage& message : messages_) {
    if (ParseDataName(message.name)->time_ms >= newest.horizon_ms) continue;
    return BadInput(
        "{}: staged so long ago that garbage collection may have removed it (before {} ms); write "
        "it again",
        message.name, newest.horizon_ms);
  }
  return Status::Ok();
}

Result<ManifestContent> TableCommit::Merge(const ManifestContent& newest) const {
  ManifestContent made;
  SchemaCollector collector(newest.schemas);
  const bool is_overwrite = options_.operation == TableOperation::kOverwrite;
  const ReplacedFiles replaced(options_.replaced, newest, staged_.paths.size());
  std::vector<uint32_t> of_file;
  std::vector<uint32_t> places;  // Of the schemas of the new files, once there is one of them.
  const auto add_new = [&](size_t begin, size_t end) {
    if (places.empty()) {
      for (const FileSchema& schema : staged_.schemas)
        places.push_back(collector.Add(schema.columns));
    }
    for (size_t i = begin; i < end; ++i) {
      made.paths.push_back(staged_.paths[i]);
      made.facts.push_back(staged_.facts[i]);
      of_file.push_back(places[staged_.facts[i].schema]);
    }
  };
  const size_t num_new = staged_.paths.size();
  size_t num_replaced = 0;
  for (size_t i = 0; i < newest.paths.size() && !is_overwrite; ++i) {
    if (const auto* const here = replaced.Find(newest.paths[i])) {
      add_new(here->begin, here->end);
      ++num_replaced;
      continue;
    }
    made.paths.push_back(newest.paths[i]);
    made.facts.push_back(newest.facts[i]);
    of_file.push_back(newest.facts[i].schema);
  }
  if (num_replaced != options_.replaced.size()) {
    for (const std::string& name : options_.replaced) {
      if (std::find(newest.paths.begin(), newest.paths.end(), name) != newest.paths.end()) continue;
      return Error(StatusCode::kNotFound,
                   "{}: to be replaced, and not in snapshot {}, the newest; read the table anew",
                   QuoteForMessage(name), newest.snapshot.self.number);
    }
  }
  if (num_replaced == 0) add_new(0, num_new);
  made.schemas = collector.TakeInOrder(&of_file);
  for (size_t i = 0; i < of_file.size(); ++i) made.facts[i].schema = of_file[i];
  DSI_RETURN_IF_ERROR(FindBasesAnew(&made));
  return made;
}

// An overlay whose base is replaced gets the new file that has its rows, that in the place of its
// base before others. DS-041: without one it would be of no file.
Status TableCommit::FindBasesAnew(ManifestContent* made) const {
  const std::vector<std::string>& replaced = options_.replaced;
  for (size_t i = 0; i < made->paths.size(); ++i) {
    FileFacts& facts = made->facts[i];
    if (!facts.overlay) continue;
    const auto was = std::find(replaced.begin(), replaced.end(), facts.base_path);
    if (was == replaced.end()) continue;
    const OverlayBinding& binding = *facts.overlay;
    const auto is_base = [&](size_t k) {
      const FileFacts& other = staged_.facts[k];
      return !other.overlay && other.num_rows == binding.base_rows &&
             other.rows_fingerprint == binding.base_fingerprint;
    };
    const size_t num_new = staged_.paths.size();
    const auto place = static_cast<size_t>(was - replaced.begin());
    size_t base = num_new == replaced.size() && is_base(place) ? place : 0;
    while (base < num_new && !is_base(base)) ++base;
    if (base == num_new) {
      return BadInput(
          "{}: an overlay of {}, which was to be replaced by no file that has its rows; replace "
          "the overlay with its base (DS-041)",
          made->paths[i], facts.base_path);
    }
    facts.base_path = staged_.paths[base];
  }
  return Status::Ok();
}

// Files that are no one table are no snapshot; both are named. Overlays get their bases, so that
// who opens the snapshot need not look for them.
Status TableCommit::CheckSchemas(ManifestContent* made) const {
  ManifestContent whole = *made;
  const auto make_whole = [&](std::string* path) -> Status {
    DSI_ASSIGN_OR_RETURN(*path, PathFromManifest(*path, log_.store().root(), log_.options().open));
    return Status::Ok();
  };
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < whole.paths.size(); ++i) {
    DSI_RETURN_IF_ERROR(make_whole(&whole.paths[i]));
    places.emplace(whole.paths[i], i);
    if (!whole.facts[i].base_path.empty())
      DSI_RETURN_IF_ERROR(make_whole(&whole.facts[i].base_path));
  }
  DSI_ASSIGN_OR_RETURN(const auto files, DatasetFiles::Of(std::move(whole), log_.options()));
  for (const OverlayFile& overlay : files->overlays()) {
    const auto base = places.find(overlay.facts.base_path);
    if (base != places.end())
      made->facts[places.at(overlay.path)].base_path = made->paths[base->second];
  }
  return MakeView(*files, {}).status();
}

Result<NextSnapshot> TableCommit::Next(const ManifestContent& newest) {
  const SnapshotHead& head = newest.snapshot;
  knows_all_before_ = false;
  if (const TableSnapshot* done = FindJob(head, job_)) {
    if (done->operation == TableOperation::kAbort) {
      return InvalidArgument("job {} was aborted (snapshot {}); another job has another id", job_,
                             done->number);
    }
    if (options_.is_first_try && !HasAnyOf(newest)) {
      return InvalidArgument(
          "job {} has committed snapshot {} ({}); give this work a job of its own", job_,
          done->number, TableOperationName(done->operation));
    }
    return NextSnapshot{.content = {}, .done = *done};
  }
  DSI_RETURN_IF_ERROR(CheckBase(head));
  knows_all_before_ = FindUnknown(head) == nullptr && RemembersBase(head);
  DSI_RETURN_IF_ERROR(CheckHorizon(head));
  DSI_RETURN_IF_ERROR(LookAtFiles());
  DSI_ASSIGN_OR_RETURN(ManifestContent made, Merge(newest));
  const bool is_replace = options_.operation == TableOperation::kReplace;
  if (!messages_.empty() || is_replace) DSI_RETURN_IF_ERROR(CheckSchemas(&made));
  made.snapshot.self.operation = options_.operation;
  made.snapshot.self.job = job_;
  made.snapshot.self.message = options_.message;
  return NextSnapshot{.content = std::move(made), .done = {}};
}

}  // namespace

Result<TableSnapshot> CommitToTable(TableLog* log, const std::string& job,
                                    std::span<const std::string> messages,
                                    const TableCommitOptions& options) {
  TableCommit commit(log, job, options);
  DSI_RETURN_IF_ERROR(commit.CheckOptions());
  DSI_RETURN_IF_ERROR(commit.ReadMessages(messages));
  return commit.Run();
}

}  // namespace dsi::internal
