// Tables in folders of this machine, or of a file system that many machines have. A snapshot gets
// its name by a rename that replaces nothing, or by a link where there is no such rename.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/snapshot_head_internal.h"
#include "dsi/dataset/table/table_store_internal.h"
#include "dsi/io/copy_bytes_internal.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/file.h"

namespace dsi::internal {
namespace {

namespace fs = std::filesystem;

Status SyncFolder(const std::string& folder) {
  const Descriptor fd = OpenAt(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (!fd.valid()) return SystemError(folder, "opening the folder", errno);
  if (SyncNames(fd)) return Status::Ok();
  return SystemError(folder, "making its names durable (fsync)", errno);
}

// The folder of a path with a slash at its end.
std::string FolderAbove(const std::string& folder) {
  const size_t slash = folder.rfind('/', folder.size() - 2);
  return slash == std::string::npos ? std::string("./") : folder.substr(0, slash + 1);
}

// With those above it. Each is durable, also where somebody else has just made it.
Status MakeFolder(const std::string& folder) {
  if (folder == "./" || folder == "/") return Status::Ok();
  const std::string above = FolderAbove(folder);
  if (::mkdir(folder.c_str(), 0777) == 0) return SyncFolder(above);
  if (errno == ENOENT) {
    DSI_RETURN_IF_ERROR(MakeFolder(above));
    if (::mkdir(folder.c_str(), 0777) == 0) return SyncFolder(above);
  }
  if (errno == EEXIST) return SyncFolder(above);
  return SystemError(folder, "making the folder", errno);
}

class LocalTableStore final : public TableStore {
 public:
  LocalTableStore(std::string root, const OpenOptions& options)
      : TableStore(std::move(root), options) {}

  Result<std::vector<std::string>> List(const std::string& folder) const override {
    std::vector<std::string> names;
    std::error_code error;
    fs::recursive_directory_iterator i(root() + folder, error);
    if (error == std::errc::no_such_file_or_directory) return names;
    while (!error && i != fs::recursive_directory_iterator()) {
      std::error_code ignored;  // What is gone meanwhile is no file.
      if (i->is_regular_file(ignored)) names.push_back(i->path().string().substr(root().size()));
      i.increment(error);
      // A folder that somebody has removed meanwhile.
      if (error == std::errc::no_such_file_or_directory) return List(folder);
    }
    if (!error) return names;
    return Error(StatusCode::kIo, "{}{}: cannot be listed: {}", root(), folder, error.message());
  }

  Status Create(const std::string& name, std::string_view text) const override {
    const std::string path = root() + name;
    DSI_RETURN_IF_ERROR(MakeFolder(path.substr(0, path.rfind('/') + 1)));
    DSI_ASSIGN_OR_RETURN(const auto file, CreateLocalFile(path, {}));
    DSI_RETURN_IF_ERROR(file->Append(std::as_bytes(std::span(text))));
    return file->Publish();
  }

  Status Remove(std::span<const std::string> names) const override {
    std::string synced, last;
    for (const std::string& name : names) {
      const std::string path = root() + name;
      const std::string folder = path.substr(0, path.rfind('/') + 1);
      if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        return SystemError(path, "removing the file", errno);
      if (!last.empty() && folder != last) DSI_RETURN_IF_ERROR(Leave(last));
      last = folder;
    }
    return last.empty() ? Status::Ok() : Leave(last);
  }

  // The rename is.
  Status CheckThatCreateIsExclusive(const std::string&) const override { return Status::Ok(); }

  Result<std::string> NewPath(const std::string& name) const override {
    std::string path = root() + name;
    DSI_RETURN_IF_ERROR(MakeFolder(path.substr(0, path.rfind('/') + 1)));
    return path;
  }
  Status Adopt(const std::string&, const std::string&) const override { return Status::Ok(); }
  void Forget(const std::string&) const override {}

  Status CopyIn(const std::string& path, const std::string& name) const override {
    DSI_ASSIGN_OR_RETURN(const auto source, OpenLocalFile(path));
    DSI_ASSIGN_OR_RETURN(const auto copy, CreateLocalFile(root() + name, {}));
    DSI_RETURN_IF_ERROR(CopyBytes(*source, source->size(), copy.get()));
    return copy->Publish();
  }

 private:
  // Folders of jobs go with their last file.
  Status Leave(const std::string& folder) const {
    const bool is_of_job = folder.starts_with(root() + std::string(kDataFolder)) &&
                           folder.size() > root().size() + kDataFolder.size();
    if (is_of_job && ::rmdir(folder.c_str()) == 0) return Status::Ok();
    std::error_code error;
    return fs::exists(folder, error) ? SyncFolder(folder) : Status::Ok();
  }
};

}  // namespace

Result<std::unique_ptr<TableStore>> MakeLocalTableStore(const std::string& folder,
                                                        const OpenOptions& options) {
  DSI_RETURN_IF_ERROR(CheckPath(folder));
  std::string root = folder;
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  if (root != "/") root += '/';
  return std::unique_ptr<TableStore>(new LocalTableStore(std::move(root), options));
}

}  // namespace dsi::internal
