// From the name of a manifest to names of files, and back (DS-011).
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/dataset/files/find_snapshot_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/io/remote_target_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

bool IsHttp(std::string_view scheme) { return scheme == "http" || scheme == "https"; }

// Up to the last slash of the path; what follows "?" or "#" is no part of it.
std::string ManifestFolder(const std::string& where) {
  const bool is_http = IsHttp(SchemeOf(where));
  const std::string path = is_http ? where.substr(0, where.find_first_of("?#")) : where;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// With a slash at its end.
std::string WholeFolder(const std::string& folder) {
  std::string whole = std::filesystem::absolute(folder).lexically_normal().string();
  if (!whole.ends_with('/')) whole += '/';
  return whole;
}

}  // namespace

bool IsManifestName(std::string_view where) {
  if (IsHttp(SchemeOf(where))) where = where.substr(0, where.find_first_of("?#"));
  return where.ends_with(".json");
}

Result<std::string> PathFromManifest(const std::string& path, const std::string& manifest,
                                     const OpenOptions& options) {
  const std::string scheme = SchemeOf(path);
  const std::string manifest_scheme = SchemeOf(manifest);
  const bool is_remote = !manifest_scheme.empty() && manifest_scheme != "file";
  if (!is_remote) {
    if (!scheme.empty() || path.starts_with('/')) return path;
    std::string from = manifest;
    if (!manifest_scheme.empty()) {
      DSI_ASSIGN_OR_RETURN(from, PathOfFileUrl(manifest));
    }
    return ManifestFolder(from) + path;
  }
  if (scheme.empty() && !path.starts_with('/'))
    return ManifestFolder(manifest) + (IsHttp(manifest_scheme) ? EscapeKey(path) : path);
  if (!IsHttp(scheme) && scheme != "s3") {
    return BadInput("{}: a manifest behind a URL names files below it, or by URLs",
                    QuoteForMessage(path));
  }
  // Say a bearer token.
  const bool has_headers = !options.remote.headers.empty() && IsHttp(scheme);
  if (has_headers && !IsSameServer(path, manifest)) {
    return BadInput("{}: on another server than the manifest, and headers are to be sent along",
                    WithoutSecrets(path));
  }
  return path;
}

Result<std::string> PathInManifest(const std::string& path, const std::string& folder) {
  if (!simdjson::validate_utf8(path))
    return BadInput("{}: a name that is no UTF-8 cannot stand in a manifest",
                    QuoteForMessage(path));
  if (!SchemeOf(path).empty()) return path;
  std::string whole = std::filesystem::absolute(path).lexically_normal().string();
  if (folder.empty()) return whole;
  const std::string below = WholeFolder(folder);
  if (!whole.starts_with(below)) return whole;
  std::string rest = whole.substr(below.size());
  // Else it would be taken for a URL.
  return SchemeOf(rest).empty() ? rest : "./" + rest;
}

Result<std::string> ReadManifestText(const std::string& where, const OpenOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file, OpenUri(where, options));
  if (file->size() > kMaxManifestBytes)
    return BadInput("a manifest of {} bytes, expected at most {}", file->size(), kMaxManifestBytes);
  std::string text(file->size(), '\0');
  DSI_RETURN_IF_ERROR(file->ReadAt(0, std::as_writable_bytes(std::span(text))));
  return text;
}

Result<ManifestContent> LoadManifest(const std::string& where, const OpenOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::string text, ReadManifestText(where, options));
  DSI_ASSIGN_OR_RETURN(ManifestContent content, ParseManifest(text));
  std::string from = where;
  if (content.is_snapshot()) {
    // DS-032: its paths begin in the table's folder.
    from = TableOfSnapshot(where, content.snapshot.self.number);
    if (from.empty()) {
      return BadInput("snapshot {} of a table, which is called {} there",
                      content.snapshot.self.number, SnapshotName(content.snapshot.self.number));
    }
  }
  for (std::string& path : content.paths) {
    DSI_ASSIGN_OR_RETURN(path, PathFromManifest(path, from, options));
  }
  for (FileFacts& facts : content.facts) {
    if (facts.base_path.empty()) continue;
    DSI_ASSIGN_OR_RETURN(facts.base_path, PathFromManifest(facts.base_path, from, options));
  }
  return content;
}

}  // namespace dsi::internal
