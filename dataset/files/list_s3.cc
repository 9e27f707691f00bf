// Objects of S3 below a prefix, or whose keys are what a pattern stands for.
#include <algorithm>
#include <memory>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/dataset/files/s3_answer_internal.h"
#include "dsi/io/remote_listing_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMostKeys = 100'000'000;

// Calls take(key) for each key below a prefix of the bucket of `where`, in their order.
template <typename Take>
Status ForEachKey(const std::string& where, const std::string& prefix, const OpenOptions& options,
                  const Take& take) {
  DSI_ASSIGN_OR_RETURN(const std::unique_ptr<RemoteListing> listing,
                       RemoteListing::Make(where, options));
  std::string next;
  size_t num_keys = 0;
  do {
    std::string query;
    if (!next.empty()) query = "continuation-token=" + EscapeValue(next) + "&";
    query += "list-type=2";
    if (!prefix.empty()) query += "&prefix=" + EscapeValue(prefix);
    DSI_ASSIGN_OR_RETURN(const std::string xml, listing->Query(query));
    auto answer = ParseS3Answer(xml);
    if (!answer.ok()) return answer.status().At(where);
    for (const std::string& key : answer->keys) {
      // What is asked for may be left aside by a server.
      if (!key.starts_with(prefix) || key.find('\0') != std::string::npos) continue;
      if (take(key)) ++num_keys;
    }
    if (answer->next == next && !next.empty())
      return Error(StatusCode::kIo, "{}: the server's list goes on without end", where);
    if (num_keys > kMostKeys)
      return Error(StatusCode::kResourceExhausted, "{}: more than {} files", where, kMostKeys);
    next = std::move(answer->next);
  } while (!next.empty());
  return Status::Ok();
}

// "s3://bucket/" of a URL, and what follows.
std::pair<std::string, std::string> BucketAndKey(const std::string& where) {
  const size_t bucket = where.find("://") + 3;
  const size_t slash = std::min(where.find('/', bucket), where.size());
  return {where.substr(0, slash) + "/", where.substr(std::min(slash + 1, where.size()))};
}

}  // namespace

Result<std::vector<std::string>> ListS3(const std::string& where, const OpenOptions& options) {
  const std::pair<std::string, std::string> bucket_and_key = BucketAndKey(where);
  const std::string& root = bucket_and_key.first;
  const std::string& wanted = bucket_and_key.second;
  const bool is_pattern = IsPattern(wanted);
  const std::string prefix = wanted.substr(0, wanted.find_first_of("*?["));
  std::vector<std::string> paths;
  DSI_RETURN_IF_ERROR(ForEachKey(where, prefix, options, [&](const std::string& key) {
    const bool is_wanted = is_pattern ? MatchesPath(wanted, key)
                                      : IsListed(std::string_view(key).substr(prefix.size()));
    if (is_wanted) paths.push_back(root + key);
    return is_wanted;
  }));
  return paths;
}

Result<std::vector<std::string>> ListS3Below(const std::string& prefix,
                                             const OpenOptions& options) {
  const std::string below = BucketAndKey(prefix).second;
  std::vector<std::string> names;
  DSI_RETURN_IF_ERROR(ForEachKey(prefix, below, options, [&](const std::string& key) {
    names.push_back(key.substr(below.size()));
    return true;
  }));
  return names;
}

}  // namespace dsi::internal
