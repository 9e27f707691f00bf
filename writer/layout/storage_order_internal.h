// The order in which streams lie in a stripe: what is read together lies together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/format/feature_use.h"
#include "dsi/writer/cluster/clustered_feature_internal.h"
#include "dsi/writer/layout/file_layout_internal.h"

namespace dsi::internal {

// Features group by group; with uses those that jobs read first, the most read before others, and
// among those that are read as often the ones of the same jobs beside each other. Before a feature
// stand the indexes and dictionaries that it needs and that do not stand yet. Streams that stay
// empty have no place.
std::vector<uint32_t> OrderStorage(std::span<const ClusteredFeature> features,
                                   const FileLayout& layout, std::span<const FeatureUse> uses);

}  // namespace dsi::internal
