#include <algorithm>
#include <filesystem>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

Result<std::vector<std::string>> ListLocal(const std::string& where) {
  std::error_code error;
  const auto status = std::filesystem::status(where, error);
  if (std::filesystem::is_directory(status)) return ListFolder(where);
  // A file may be called as a pattern is.
  if (IsPattern(where) && !std::filesystem::exists(status)) return ListPattern(where);
  return std::vector{where};
}

Result<std::vector<std::string>> ListAny(const std::string& where, const OpenOptions& options) {
  const std::string scheme = SchemeOf(where);
  if (scheme.empty()) return ListLocal(where);
  if (scheme == "file") {
    DSI_ASSIGN_OR_RETURN(const std::string path, PathOfFileUrl(where));
    return ListLocal(path);
  }
  if (scheme == "s3" && (where.ends_with('/') || IsPattern(where))) return ListS3(where, options);
  if (scheme != "s3" && where.ends_with('/')) return ListHttp(where, options);
  return std::vector{where};
}

}  // namespace

bool IsPattern(std::string_view name) {
  return name.find_first_of("*?[") != std::string_view::npos;
}

bool IsListed(std::string_view path_below) {
  const bool is_hidden =
      path_below.starts_with('.') || path_below.find("/.") != std::string_view::npos;
  return !is_hidden && path_below.ends_with(".dsi");
}

Status CheckPlace(const std::string& where) {
  const std::string scheme = SchemeOf(where);
  const std::string_view rest = std::string_view(where).substr(scheme.size() + 3);
  const bool is_there = !rest.empty() && rest.front() != '/' && rest.front() != '@';
  if (is_there) return Status::Ok();
  if (scheme == "s3") {
    return InvalidArgument(
        "{}: names no bucket, expected s3://bucket/key, or s3://bucket/prefix/ for all below it",
        ShownName(where));
  }
  if (scheme != "http" && scheme != "https") return Status::Ok();
  return InvalidArgument("{}: names no server, expected {}://server/path", ShownName(where),
                         scheme);
}

Result<std::vector<std::string>> ListFiles(const std::string& where, const OpenOptions& options) {
  if (where.empty()) return InvalidArgument("an empty name of a file");
  DSI_ASSIGN_OR_RETURN(std::vector<std::string> paths, ListAny(where, options));
  if (paths.empty()) {
    return Error(StatusCode::kNotFound, "{}: no {} there", ShownName(where),
                 IsPattern(where) ? "such file" : "*.dsi");
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace dsi::internal
