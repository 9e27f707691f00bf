// Writes overlays of bases: finds where each given row goes, puts rows in the order of the bases
// where they come in another, and hands them to one writer after another.
#pragma once

#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/rewrite/base_rows_internal.h"
#include "dsi/rewrite/overlay.h"

namespace dsi::internal {

// `writes_empty`: also overlays of bases of which no row is given. Errors of WriteOverlays.
Result<OverlaysReport> WriteTargets(const Dataset& from, std::vector<OverlayTarget> targets,
                                    bool writes_empty, const OverlayOptions& options);

}  // namespace dsi::internal
