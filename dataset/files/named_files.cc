#include "dsi/dataset/files/named_files_internal.h"

#include <utility>

#include "dsi/dataset/files/find_snapshot_internal.h"
#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {

Result<NamedFiles> FindNamed(const std::string& name, const OpenOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::optional<std::string> snapshot, FindSnapshot(name, options));
  NamedFiles named;
  named.where = snapshot.value_or(name);
  named.is_of_table = snapshot.has_value();
  if (IsManifestName(named.where)) {
    auto manifest = LoadManifest(named.where, options);
    if (!manifest.ok()) return manifest.status().At(ShownName(named.where));
    named.manifest = *std::move(manifest);
  } else {
    DSI_ASSIGN_OR_RETURN(named.paths, ListFiles(name, options));
  }
  return named;
}

}  // namespace dsi::internal
