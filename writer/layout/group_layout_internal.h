// Which features form a dedup group: those that the schema declares, and those that are found.
#pragma once

#include <span>

#include "dsi/writer/layout/file_layout_internal.h"

namespace dsi::internal {

// Fills layout->groups but for the features of the group of rows, and the group of each feature,
// whose columns are there already. Errors of options.for_each.
Status AssignGroups(const Schema& schema, std::span<const ClusteredFeature> features,
                    const RowSample& sample, const LayoutOptions& options, FileLayout* layout);

}  // namespace dsi::internal
