#include "dsi/rewrite/shard_folder_internal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dsi/io/descriptor_internal.h"

namespace dsi::internal {
namespace {

Status AlreadyThere(const std::string& folder) {
  return Error(StatusCode::kAlreadyExists, "{}: the folder exists; name a new one", folder);
}

}  // namespace

Result<ShardFolder> ShardFolder::Make(const std::string& folder) {
  DSI_RETURN_IF_ERROR(CheckPath(folder));
  namespace fs = std::filesystem;
  fs::path whole = fs::path(folder).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // "out/" is "out".
  std::error_code error;
  if (fs::exists(fs::symlink_status(whole, error))) return AlreadyThere(folder);
  // Those that a process of the same number left behind are passed over.
  std::string hidden;
  for (unsigned left_behind = 0;; ++left_behind) {
    const std::string name =
        fmt::format(".{}.{}-{}", whole.filename().string(), ::getpid(), left_behind);
    hidden = (whole.parent_path() / name).string();
    if (::mkdir(hidden.c_str(), 0777) == 0) break;
    if (errno != EEXIST) return SystemError(folder, "making a folder beside it", errno);
  }
  return ShardFolder(whole.string(), std::move(hidden));
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
