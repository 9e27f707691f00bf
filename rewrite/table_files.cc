#include "dsi/rewrite/table_files_internal.h"

#include <utility>

#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/manifest_internal.h"

namespace dsi::internal {

Result<std::unique_ptr<Dataset>> SomeOf(const DatasetFiles& files, const ManifestContent& content,
                                        const std::set<std::string>& paths) {
  ManifestContent some;
  some.schemas = content.schemas;
  for (size_t i = 0; i < content.paths.size(); ++i) {
    const size_t num_files = files.files().size();
    const std::string& path =
        i < num_files ? files.files()[i].path : files.overlays()[i - num_files].path;
    if (!paths.contains(path)) continue;
    some.paths.push_back(content.paths[i]);
    some.facts.push_back(content.facts[i]);
  }
  DSI_ASSIGN_OR_RETURN(auto made, DatasetFiles::Of(std::move(some), files.options()));
  return DatasetAccess::Make(std::move(made));
}

}  // namespace dsi::internal
