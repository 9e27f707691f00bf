// Which files a name on the command line or in a program stands for, and what is told of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/io/open.h"

namespace dsi::internal {

struct NamedFiles {
  std::string where;  // In place of a table's name that of the snapshot's manifest.
  bool is_of_table = false;
  std::optional<ManifestContent> manifest;  // None: nothing but paths is known.
  std::vector<std::string> paths;           // Of no manifest.
};

// A file, a pattern, a folder, a prefix, a manifest or a table (DS-002, DS-031). No file is opened
// but a manifest. Errors: those of FindSnapshot, ListFiles and LoadManifest.
Result<NamedFiles> FindNamed(const std::string& name, const OpenOptions& options);

}  // namespace dsi::internal
