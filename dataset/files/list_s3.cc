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

// All but RFC 3986's unreserved characters: the value of a query, as it is signed.
std::string EscapeValue(std::string_view value) {
  std::string escaped;
  for (const char c : EscapeKey(value)) c == '/' ? escaped.append("%2F") : escaped.append(1, c);
  return escaped;
}

}  // namespace

Result<std::vector<std::string>> ListS3(const std::string& where, const OpenOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::unique_ptr<RemoteListing> listing,
                       RemoteListing::Make(where, options));
  const size_t bucket = where.find("://") + 3;
  const size_t slash = std::min(where.find('/', bucket), where.size());
  const std::string root = where.substr(0, slash) + "/";
  const std::string wanted = where.substr(std::min(slash + 1, where.size()));
  const bool is_pattern = IsPattern(wanted);
  const std::string prefix = wanted.substr(0, wanted.find_first_of("*?["));

  std::vector<std::string> paths;
  std::string next;
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
      const bool is_wanted = is_pattern ? MatchesPath(wanted, key)
                                        : IsListed(std::string_view(key).substr(prefix.size()));
      if (is_wanted) paths.push_back(root + key);
    }
    if (answer->next == next && !next.empty())
      return Error(StatusCode::kIo, "{}: the server's list goes on without end", where);
    if (paths.size() > kMostKeys)
      return Error(StatusCode::kResourceExhausted, "{}: more than {} files", where, kMostKeys);
    next = std::move(answer->next);
  } while (!next.empty());
  return paths;
}

}  // namespace dsi::internal
