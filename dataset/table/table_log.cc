#include "dsi/dataset/table/table_log_internal.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/dataset/files/find_snapshot_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

// Races that one commit may lose: each was won by another, so that this many others have committed.
constexpr int kMaxRaces = 1000;
constexpr double kLongestWaitMs = 500;
// Newest snapshots that vanish while they are read: others commit and remove meanwhile.
constexpr int kMaxVanished = 100;

void WaitAfterRace(int races) {
  std::random_device random;
  const double most = std::min(kLongestWaitMs, static_cast<double>(1 << std::min(races, 9)));
  const double share = static_cast<double>(random() % 1024) / 1024;
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(most * share));
}

bool IsSame(const TableSnapshot& a, const TableSnapshot& b) {
  return a.number == b.number && a.job == b.job && a.operation == b.operation;
}

}  // namespace

const TableSnapshot* FindJob(const SnapshotHead& head, const std::string& job) {
  if (head.self.job == job) return &head.self;
  const auto found = std::find_if(head.history.begin(), head.history.end(),
                                  [&](const TableSnapshot& one) { return one.job == job; });
  return found == head.history.end() ? nullptr : &*found;
}

Status CheckTableId(std::string_view what, const std::string& id) {
  if (IsTableId(id)) return Status::Ok();
  return InvalidArgument(
      "{}: expected an id of a {}: 1 to {} letters, digits, '.', '_' and '-', first a letter, a "
      "digit or '_'",
      QuoteForMessage(id), what, kMaxIdBytes);
}

Result<std::vector<uint64_t>> TableLog::Numbers() const {
  DSI_ASSIGN_OR_RETURN(std::vector<uint64_t> numbers, ListSnapshots(store_->root(), options_.open));
  if (!numbers.empty()) return numbers;
  return Error(StatusCode::kNotFound, "{}: no table is there", store_->root());
}

Result<ManifestContent> TableLog::Read(uint64_t number) const {
  const std::string path = store_->root() + SnapshotName(number);
  DSI_ASSIGN_OR_RETURN(const std::string text, ReadManifestText(path, options_.open));
  auto content = ParseManifest(text);
  if (!content.ok()) return content.status().At(path);
  if (content->snapshot.self.number != number)
    return BadInput("{}: no snapshot {} of a table", path, number);
  return content;
}

Result<ManifestContent> TableLog::ReadNewest() const {
  for (int i = 0;; ++i) {
    DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, Numbers());
    auto content = Read(numbers.back());
    if (content.ok() || content.status().code() != StatusCode::kNotFound || i == kMaxVanished)
      return content;
  }
}

Result<std::vector<TableSnapshot>> TableLog::Snapshots() const {
  DSI_ASSIGN_OR_RETURN(const ManifestContent newest, ReadNewest());
  DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, Numbers());
  const SnapshotHead& head = newest.snapshot;
  std::vector<TableSnapshot> snapshots = {head.self};
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    if (*number >= head.self.number) continue;  // Younger than what was read.
    const uint64_t back = head.self.number - *number;
    if (back <= head.history.size()) {
      snapshots.push_back(head.history[back - 1]);
      continue;
    }
    const auto old = Read(*number);
    if (old.status().code() == StatusCode::kNotFound) continue;
    if (!old.ok()) return old.status();
    snapshots.push_back(old->snapshot.self);
  }
  return snapshots;
}

uint64_t TableLog::seen() const {
  const std::lock_guard lock(seen_mutex_);
  return seen_;
}

void TableLog::SetSeen(uint64_t number) {
  const std::lock_guard lock(seen_mutex_);
  seen_ = std::max(seen_, number);
  own_.erase(own_.begin(), own_.upper_bound(seen_));
}

void TableLog::AddOwn(uint64_t number) {
  const std::lock_guard lock(seen_mutex_);
  if (number > seen_) own_.insert(number);
}

bool TableLog::IsOwn(uint64_t number) const {
  const std::lock_guard lock(seen_mutex_);
  return own_.contains(number);
}

Status TableLog::AddText(const ManifestContent& content) const {
  const std::string text = ManifestToJson(content);
  if (text.size() > kMaxManifestBytes) {
    return Error(StatusCode::kResourceExhausted,
                 "{}: a manifest of {} bytes, at most {} can be read; make fewer, larger files",
                 store_->root(), text.size(), kMaxManifestBytes);
  }
  return store_->Create(SnapshotName(content.snapshot.self.number), text);
}

Status TableLog::AddFirst() const {
  ManifestContent content;
  const std::string job = "create-" + RandomDigits();
  const TableSnapshot self{.number = 1, .job = job, .time_ms = TableClockMs()};
  content.snapshot = SnapshotHead{.self = self};
  const auto exists = [&] {
    return Error(StatusCode::kAlreadyExists, "{}: a table is there already", store_->root());
  };
  const auto numbers = Numbers();
  if (numbers.ok()) return exists();
  if (numbers.status().code() != StatusCode::kNotFound) return numbers.status();
  const Status status = AddText(content);
  if (!status.ok()) {
    const auto there = Read(1);
    if (!there.ok()) return status;
    if (there->snapshot.self.job != job) return exists();
  }
  return store_->CheckThatCreateIsExclusive(SnapshotName(1));
}

// DS-035: a committer that was asleep while others committed and removed what is old may find a
// number free that has been used.
Result<bool> TableLog::IsInLineage(const TableSnapshot& added,
                                   std::span<const std::string> paths) const {
  DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, Numbers());
  if (numbers.back() == added.number) return true;
  DSI_ASSIGN_OR_RETURN(const ManifestContent newest, ReadNewest());
  const SnapshotHead& head = newest.snapshot;
  if (head.self.number < added.number) return false;
  const uint64_t back = head.self.number - added.number;
  if (back <= head.history.size()) return IsSame(head.history[back - 1], added);
  const bool has_files =
      !paths.empty() && std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return std::find(newest.paths.begin(), newest.paths.end(), path) != newest.paths.end();
      });
  if (has_files) return true;
  return Error(StatusCode::kIo,
               "{}: {} snapshots were added while {} was; look whether its files are in the table",
               store_->root(), back, added.number);
}

Result<TableSnapshot> TableLog::Add(
    const std::function<Result<NextSnapshot>(const ManifestContent& newest)>& next) const {
  for (int races = 0; races < kMaxRaces; ++races) {
    if (races != 0) WaitAfterRace(races);
    DSI_ASSIGN_OR_RETURN(const ManifestContent newest, ReadNewest());
    DSI_ASSIGN_OR_RETURN(NextSnapshot made, next(newest));
    if (!made.content) return made.done;
    const SnapshotHead& before = newest.snapshot;
    SnapshotHead& head = made.content->snapshot;
    head.self.number = before.self.number + 1;
    head.self.time_ms = TableClockMs();
    head.self.num_files = made.content->paths.size();
    head.self.num_rows = 0;
    for (const FileFacts& facts : made.content->facts) {
      if (!facts.overlay) head.self.num_rows += facts.num_rows;  // DS-040.
    }
    head.horizon_ms = std::max(head.horizon_ms, before.horizon_ms);
    head.history = {before.self};
    const size_t kept = std::min(before.history.size(), kMaxHistory - 1);
    head.history.insert(head.history.end(), before.history.begin(),
                        before.history.begin() + static_cast<ptrdiff_t>(kept));

    const Status status = AddText(*made.content);
    if (!status.ok()) {
      // The answer to a step that was done may have got lost, so whose it is decides.
      const auto there = Read(head.self.number);
      if (!there.ok() && there.status().code() == StatusCode::kNotFound) {
        // Somebody's, and removed since.
        if (status.code() == StatusCode::kAlreadyExists) continue;
        return status;
      }
      if (!there.ok()) return there.status();
      if (!IsSame(there->snapshot.self, head.self)) continue;
      head.self = there->snapshot.self;
    }
    DSI_ASSIGN_OR_RETURN(const bool is_in_lineage, IsInLineage(head.self, made.content->paths));
    if (is_in_lineage) return head.self;
    DSI_RETURN_IF_ERROR(store_->Remove(std::vector{SnapshotName(head.self.number)}));
  }
  return Error(StatusCode::kIo, "{}: {} others have committed first; try again when fewer do",
               store_->root(), kMaxRaces);
}

}  // namespace dsi::internal
