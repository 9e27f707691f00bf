#include "dsi/dataset/files/find_snapshot_internal.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/files/manifest_values_internal.h"
#include "dsi/dataset/files/snapshot_head_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> NamesOfLocal(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator i(folder, error);
  // None is there, or what is there is no folder.
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
    return names;
  while (!error && i != fs::directory_iterator()) {
    names.push_back(i->path().filename().string());
    i.increment(error);
  }
  if (error) return Error(StatusCode::kIo, "{}: cannot be listed: {}", folder, error.message());
  return names;
}

// Of no server that has no lists, and of none that lacks the folder.
Result<std::vector<std::string>> NamesOfHttp(const std::string& folder,
                                             const OpenOptions& options) {
  auto names = ListHttpNames(folder, options);
  const StatusCode code = names.status().code();
  if (code == StatusCode::kNotFound || code == StatusCode::kInvalidArgument)
    return std::vector<std::string>();
  return names;
}

Result<std::vector<std::string>> NamesIn(const std::string& folder, const OpenOptions& options) {
  const std::string scheme = SchemeOf(folder);
  if (scheme.empty()) return NamesOfLocal(folder);
  return scheme == "s3" ? ListS3Below(folder, options) : NamesOfHttp(folder, options);
}

struct AskedSnapshot {
  std::string root;                // Ends in a slash; empty: no table can be called so.
  std::optional<uint64_t> number;  // Nothing: the newest.
};

// DS-039.
Result<AskedSnapshot> ParseName(const std::string& where) {
  AskedSnapshot asked;
  // Most names are those of files.
  if (where.ends_with(".dsi") || IsManifestName(where)) return asked;
  std::string folder = where;
  const std::string scheme = SchemeOf(where);
  if (scheme == "file") {
    DSI_ASSIGN_OR_RETURN(folder, PathOfFileUrl(where));
  }
  const bool is_local = scheme.empty() || scheme == "file";
  if (!is_local) DSI_RETURN_IF_ERROR(CheckPlace(where));
  std::error_code error;
  // What is there under this name is meant.
  const bool is_there = is_local && fs::exists(folder, error);
  const size_t at = folder.rfind('@');
  uint64_t number = 0;
  if (!is_there && at != std::string::npos && ParseWhole(folder.substr(at + 1), &number)) {
    asked.number = number;
    folder.resize(at);
  }
  if (folder.empty()) return asked;
  if (is_local && !folder.ends_with('/')) folder += '/';
  // Of a URL only a prefix is a table.
  if (folder.ends_with('/') && !(scheme == "s3" && IsPattern(folder)))
    asked.root = std::move(folder);
  return asked;
}

}  // namespace

// DS-030.
Result<std::vector<uint64_t>> ListSnapshots(const std::string& root, const OpenOptions& options) {
  const std::string folder = root + std::string(kSnapshotFolder);
  DSI_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder, options));
  std::vector<uint64_t> numbers;
  for (const std::string& name : names) {
    if (const auto number = SnapshotNumber(std::string(kSnapshotFolder) + name))
      numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string TableOfSnapshot(const std::string& manifest, uint64_t number) {
  const std::string scheme = SchemeOf(manifest);
  const bool is_http = scheme == "http" || scheme == "https";
  const std::string path = is_http ? manifest.substr(0, manifest.find_first_of("?#")) : manifest;
  const std::string name = SnapshotName(number);
  if (path == name) return "./";
  if (!path.ends_with("/" + name)) return {};
  return path.substr(0, path.size() - name.size());
}

Result<std::optional<std::string>> FindSnapshot(const std::string& where,
                                                const OpenOptions& options) {
  DSI_ASSIGN_OR_RETURN(const AskedSnapshot asked, ParseName(where));
  if (asked.root.empty()) return std::optional<std::string>();
  DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, ListSnapshots(asked.root, options));
  if (numbers.empty()) return std::optional<std::string>();
  const uint64_t number = asked.number.value_or(numbers.back());
  if (!std::binary_search(numbers.begin(), numbers.end(), number)) {
    return Error(StatusCode::kNotFound, "{}: the table has no snapshot {}; there are {}, {} to {}",
                 ShownName(where), number, numbers.size(), numbers.front(), numbers.back());
  }
  return std::optional(asked.root + SnapshotName(number));
}

}  // namespace dsi::internal
