// Tables on S3. A snapshot gets its name by a conditional put; staged files are written to a
// temporary file of this machine and put whole, large ones in parts.
#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/table/table_store_internal.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/file.h"
#include "dsi/io/s3_writes_internal.h"

namespace dsi::internal {
namespace {

namespace fs = std::filesystem;

std::string TemporaryFolder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

class S3TableStore final : public TableStore {
 public:
  S3TableStore(std::string root, const OpenOptions& options, GoOn go_on)
      : TableStore(std::move(root), options), go_on_(std::move(go_on)) {}

  Result<std::vector<std::string>> List(const std::string& folder) const override {
    DSI_ASSIGN_OR_RETURN(std::vector<std::string> names, ListS3Below(root() + folder, options()));
    for (std::string& name : names) name.insert(0, folder);
    return names;
  }

  // DS-034.
  Status Create(const std::string& name, std::string_view text) const override {
    DSI_ASSIGN_OR_RETURN(const auto writes, S3Writes::Make(options()));
    return writes->PutNew(root() + name, text);
  }

  Status Remove(std::span<const std::string> names) const override {
    DSI_ASSIGN_OR_RETURN(const auto writes, S3Writes::Make(options()));
    for (const std::string& name : names) DSI_RETURN_IF_ERROR(writes->Delete(root() + name));
    return Status::Ok();
  }

  Status CheckThatCreateIsExclusive(const std::string& name) const override {
    DSI_ASSIGN_OR_RETURN(const std::string text, ReadManifestText(root() + name, options()));
    const Status status = Create(name, text);
    if (status.code() == StatusCode::kAlreadyExists) return Status::Ok();
    if (!status.ok()) return status;
    DSI_RETURN_IF_ERROR(Remove({&name, 1}));
    return InvalidArgument(
        "{}: the server replaces what is there though asked not to (If-None-Match: *), so that "
        "commits could be lost; tables need one that heeds it",
        root());
  }

  Result<std::string> NewPath(const std::string& name) const override {
    std::string folder = TemporaryFolder() + "/dsi-stage-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr)
      return SystemError(folder, "making a temporary folder", errno);
    return folder + "/" + name.substr(name.rfind('/') + 1);
  }

  Status Adopt(const std::string& path, const std::string& name) const override {
    return CopyIn(path, name);
  }

  Status CopyIn(const std::string& path, const std::string& name) const override {
    DSI_ASSIGN_OR_RETURN(const auto file, OpenLocalFile(path));
    DSI_ASSIGN_OR_RETURN(const auto writes, S3Writes::Make(options()));
    const Status status = writes->PutNew(root() + name, *file, {.go_on = go_on_});
    // Its name is nobody else's: an earlier try was done, and its answer lost.
    return status.code() == StatusCode::kAlreadyExists ? Status::Ok() : status;
  }

  void Forget(const std::string& path) const override {
    std::error_code ignored;
    fs::remove_all(path.substr(0, path.rfind('/')), ignored);
  }

 private:
  GoOn go_on_;
};

}  // namespace

Result<std::unique_ptr<TableStore>> MakeS3TableStore(const std::string& url,
                                                     const OpenOptions& options,
                                                     const GoOn& go_on) {
  DSI_RETURN_IF_ERROR(CheckPlace(url));
  if (IsPattern(url)) return InvalidArgument("{}: a table is no pattern", url);
  std::string root = url;
  if (!root.ends_with('/')) root += '/';
  return std::unique_ptr<TableStore>(new S3TableStore(std::move(root), options, go_on));
}

}  // namespace dsi::internal
