// Keys in the paths of files, as features that every row has.
#pragma once

#include <deque>

#include "dsi/text/infer/infer_feature_internal.h"
#include "dsi/text/lines/text_files_internal.h"

namespace dsi::internal {

// Adds those that no row has itself. `rows`: all that were looked at. A key that some paths lack is
// missing in their rows.
void LookAtPaths(const TextFiles& files, uint64_t rows, std::deque<SeenFeature>* seen);

}  // namespace dsi::internal
