// What dsictl table says of snapshots and of what was removed, as text or JSON.
#pragma once

#include <vector>

#include "dsi/dataset/table.h"
#include "dsi/rewrite/compact_table.h"
#include "dsi/tools/console_internal.h"

namespace dsi::tools {

Status PrintSnapshot(const TableSnapshot& snapshot, Console* console);
Status PrintSnapshots(const std::vector<TableSnapshot>& snapshots, Console* console);
Status PrintCompaction(const CompactReport& report, bool is_dry_run, Console* console);
Status PrintGarbage(const TableGarbage& garbage, bool is_dry_run, Console* console);

}  // namespace dsi::tools
