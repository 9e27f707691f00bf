// Folders of HTTP servers. There is no standard for listing them; nginx has one in JSON.
#include <memory>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/http_folder_internal.h"
#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/io/remote_listing_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

// Folders in folders: a server may have a link in a circle. Two of them in a folder are 2^32
// folders at that depth, so that what is listed in all is bounded, too.
constexpr int kMaxDepth = 32;
constexpr size_t kMaxFolders = 50'000;
constexpr size_t kMaxEntries = 1'000'000;

class HttpWalk {
 public:
  HttpWalk(RemoteListing* listing, std::string root) : listing_(listing), root_(std::move(root)) {}

  Status Walk(const std::string& folder, int depth) {
    if (depth > kMaxDepth) {
      return Error(
          StatusCode::kIo,
          "{}: more than {} folders in each other; name a manifest instead (dsictl manifest)",
          WithoutSecrets(folder), kMaxDepth);
    }
    if (num_folders_ == kMaxFolders) return TooMany(folder, "folders", kMaxFolders);
    ++num_folders_;
    DSI_ASSIGN_OR_RETURN(const HttpFolder found, List(folder));
    num_entries_ += found.num_entries;
    if (num_entries_ > kMaxEntries) return TooMany(folder, "entries", kMaxEntries);
    for (const std::string& name : found.files) {
      if (IsListed(name)) paths_.push_back(folder + EscapeKey(name));
    }
    for (const std::string& name : found.folders)
      DSI_RETURN_IF_ERROR(Walk(folder + EscapeKey(name) + "/", depth + 1));
    return Status::Ok();
  }

  Result<HttpFolder> List(const std::string& folder) {
    DSI_ASSIGN_OR_RETURN(const std::string answer, listing_->Get(folder));
    auto found = ParseHttpFolder(answer);
    if (!found.ok()) return found.status().At(WithoutSecrets(folder));
    return found;
  }

  std::vector<std::string> TakePaths() { return std::move(paths_); }

 private:
  // Of what was named: the folder is where the walk stood.
  Status TooMany(const std::string& folder, const char* what, size_t most) const {
    return Error(StatusCode::kIo,
                 "{}: more than {} {} in all, at {}; name a manifest instead (dsictl manifest)",
                 WithoutSecrets(root_), most, what, WithoutSecrets(folder));
  }

  RemoteListing* listing_;
  std::string root_;
  size_t num_folders_ = 0;  // Listed so far.
  size_t num_entries_ = 0;  // Of these, hidden ones too.
  std::vector<std::string> paths_;
};

}  // namespace

Result<std::vector<std::string>> ListHttp(const std::string& where, const OpenOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::unique_ptr<RemoteListing> listing,
                       RemoteListing::Make(where, options));
  HttpWalk walk(listing.get(), where);
  DSI_RETURN_IF_ERROR(walk.Walk(where, 0));
  return walk.TakePaths();
}

Result<std::vector<std::string>> ListHttpNames(const std::string& folder,
                                               const OpenOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::unique_ptr<RemoteListing> listing,
                       RemoteListing::Make(folder, options));
  DSI_ASSIGN_OR_RETURN(HttpFolder found, HttpWalk(listing.get(), folder).List(folder));
  return std::move(found.files);
}

}  // namespace dsi::internal
