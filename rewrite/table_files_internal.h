// The files of a table on disk, for who replaces some of them.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/table.h"

namespace dsi::internal {

// What the snapshot holds, opened as the table was; it has files.
inline Result<std::unique_ptr<Dataset>> OpenSnapshot(const Table& table,
                                                     const TableSnapshot& snapshot) {
  DatasetOptions options;
  options.open = table.open_options();
  return Dataset::Open(table.where() + "@" + std::to_string(snapshot.number), options);
}

// As snapshots call a file of the table: "data/…".
inline std::string NameInTable(const Table& table, const std::string& path) {
  return path.substr(table.where().size());
}

class DatasetFiles;
struct ManifestContent;

// Files of a dataset, overlays among them, that have these paths, as a dataset of its own: overlays
// are of the bases that they are of there, which are among them. `content`: files.Content({}).
Result<std::unique_ptr<Dataset>> SomeOf(const DatasetFiles& files, const ManifestContent& content,
                                        const std::set<std::string>& paths);

}  // namespace dsi::internal
