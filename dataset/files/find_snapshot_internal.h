// Which snapshot of a table a name stands for (DS-031, DS-039).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/open.h"

namespace dsi::internal {

// The manifest of the newest snapshot of the table "folder", or of number 7 of "folder@7". Nothing:
// no table has that name. kNotFound: the table has no such snapshot.
Result<std::optional<std::string>> FindSnapshot(const std::string& where,
                                                const OpenOptions& options);

// Numbers of the snapshots that a table has, ascending. `root` ends in a slash. Empty: no table.
Result<std::vector<uint64_t>> ListSnapshots(const std::string& root, const OpenOptions& options);

// "TABLE/" of "TABLE/_snapshots/00000000000000000007.json"; empty: another name.
std::string TableOfSnapshot(const std::string& manifest, uint64_t number);

}  // namespace dsi::internal
