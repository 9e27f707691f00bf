// Names on the command line that stand for many files, which are one table.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/io/open.h"
#include "dsi/tools/progress_internal.h"

namespace dsi::tools {

// What a verb reads, and how its files are opened.
struct Where {
  std::vector<std::string> names;
  OpenOptions open;
};

// Options that say how files are opened: --http-header, --deadline, --direct. No message of theirs
// shows a header.
void AddOpenOptions(CLI::App* app, OpenOptions* open);

// Whether these names stand for more than one file: several, a folder, a pattern, a manifest, a
// snapshot of a table.
bool AreManyFiles(const std::vector<std::string>& names);
Result<std::unique_ptr<Dataset>> OpenMany(const std::vector<std::string>& names, Progress* progress,
                                          const OpenOptions& open = {});

}  // namespace dsi::tools
