// The manifest: which files a dataset has, and what is in them (spec/dataset.md DS-010 …).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/file_facts_internal.h"
#include "dsi/dataset/files/snapshot_head_internal.h"
#include "dsi/io/open.h"

namespace dsi::internal {

struct ManifestContent {
  // Of a table that many jobs write (DS-032); then paths are from the table's folder.
  SnapshotHead snapshot;
  bool is_snapshot() const { return snapshot.self.number != 0; }
  std::vector<FileSchema> schemas;
  std::vector<std::string> paths;
  std::vector<FileFacts> facts;  // Of each path; the schema is one of those above.
};

// What simdjson can hold.
inline constexpr uint64_t kMaxManifestBytes = uint64_t{1} << 31;

// Whether a path or the path of a URL ends in ".json".
bool IsManifestName(std::string_view where);

// Reads it, and makes paths those that OpenUri takes (DS-011). It opens none of them.
Result<ManifestContent> LoadManifest(const std::string& where, const OpenOptions& options);

Result<std::string> ReadManifestText(const std::string& where, const OpenOptions& options);

// Paths stay as they are written. kBadInput, kUnsupported (another version).
Result<ManifestContent> ParseManifest(std::string_view json);

// Equal contents give equal text.
std::string ManifestToJson(const ManifestContent& manifest);
// The array of columns in it. Columns of the same text are the same.
std::string ManifestColumns(const std::vector<ColumnInfo>& columns);

// How a file is named in a manifest of that folder; empty: by its whole path. kBadInput: a name
// that JSON cannot have.
Result<std::string> PathInManifest(const std::string& path, const std::string& folder);
// The other way. kBadInput: a manifest behind a URL must not name local files, nor have secrets
// sent to other servers.
Result<std::string> PathFromManifest(const std::string& path, const std::string& manifest,
                                     const OpenOptions& options);

}  // namespace dsi::internal
