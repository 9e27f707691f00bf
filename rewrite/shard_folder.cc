#include "dsi/rewrite/shard_folder_internal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "dsi/base/parse_whole_internal.h"
#include "dsi/io/descriptor_internal.h"

namespace dsi::internal {
namespace {

// Keeps the search short in folders that hold very many files.
constexpr int kMostNamesSearched = 4096;

Status AlreadyThere(const std::string& folder) {
  return Error(StatusCode::kAlreadyExists, "{}: the folder exists; name a new one", folder);
}

Descriptor LockedFolder(const std::filesystem::path& path) {
  Descriptor folder = OpenAt(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (folder.valid() && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) (void)folder.Close();
  return folder;
}

// The pid in "PREFIXpid-n"; 0: it is something else.
pid_t OwnerOf(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return 0;
  name.remove_prefix(prefix.size());
  const size_t dash = name.find('-');
  pid_t pid = 0;
  unsigned counter = 0;
  if (dash == std::string_view::npos || !ParseWhole(name.substr(0, dash), &pid) ||
      !ParseWhole(name.substr(dash + 1), &counter))
    return 0;
  return std::max(pid, 0);
}

// Housekeeping, never a reason not to write.
void RemoveAbandoned(const std::filesystem::path& around, const std::string& prefix) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::directory_iterator entry(around.empty() ? fs::path(".") : around, error);
  for (int i = 0; !error && entry != fs::directory_iterator() && i < kMostNamesSearched; ++i) {
    const pid_t owner = OwnerOf(entry->path().filename().string(), prefix);
    // Signal 0 is not sent; it asks whether the process exists.
    if (owner != 0 && ::kill(owner, 0) != 0 && errno == ESRCH) {
      std::error_code ignored;
      if (LockedFolder(entry->path()).valid()) fs::remove_all(entry->path(), ignored);
    }
    entry.increment(error);
  }
}

}  // namespace

Result<ShardFolder> ShardFolder::Make(const std::string& folder) {
  DSI_RETURN_IF_ERROR(CheckPath(folder));
  namespace fs = std::filesystem;
  fs::path whole = fs::path(folder).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // "out/" is "out".
  std::error_code error;
  if (fs::exists(fs::symlink_status(whole, error))) return AlreadyThere(folder);
  const std::string prefix = fmt::format(".{}.", whole.filename().string());
  RemoveAbandoned(whole.parent_path(), prefix);
  // Those that a process of the same number left behind are passed over.
  for (unsigned left_behind = 0;; ++left_behind) {
    const fs::path hidden =
        whole.parent_path() / fmt::format("{}{}-{}", prefix, ::getpid(), left_behind);
    if (::mkdir(hidden.c_str(), 0777) == 0)
      return ShardFolder(whole.string(), hidden.string(), LockedFolder(hidden));
    if (errno != EEXIST) return SystemError(folder, "making a folder beside it", errno);
  }
}

ShardFolder::~ShardFolder() {
  if (hidden_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(hidden_, ignored);
}

Status ShardFolder::Publish() {
  // A folder with files is never replaced by this, and one without has nothing to lose.
  if (::rename(hidden_.c_str(), folder_.c_str()) != 0) {
    if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR) return AlreadyThere(folder_);
    return SystemError(folder_, "giving the folder its name", errno);
  }
  hidden_.clear();
  const std::filesystem::path around = std::filesystem::absolute(folder_).parent_path();
  const Descriptor parent = OpenAt(AT_FDCWD, around.c_str(), O_RDONLY | O_DIRECTORY);
  if (parent.valid() && SyncNames(parent)) return Status::Ok();
  return SystemError(folder_, "the folder is in place; making its name durable", errno);
}

}  // namespace dsi::internal
