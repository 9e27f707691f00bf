// Stored rows as JSON Lines: one half of convert, and cat.
#pragma once

#include <string>

#include "dsi/base/status.h"
#include "dsi/text/row_text.h"
#include "dsi/tools/original_order_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/stored_rows_internal.h"

namespace dsi::tools {

struct DsiToTextOptions {
  RowTextOptions rows;
  bool original_order = false;  // By "__position", which the file, the only one, must have.
  std::string scratch_folder;   // Where lines wait for their turn; empty: the system's.
  // Leave out features that this build cannot read and that were not asked for by name, with a
  // warning; else they are kUnsupported.
  bool skip_unsupported = false;
};

// Hands the lines to the sink, many at a time. Returns the number of rows.
Result<uint64_t> DsiToText(const StoredRows& stored, const DsiToTextOptions& options,
                           Progress* progress, const LineSink& sink);

}  // namespace dsi::tools
