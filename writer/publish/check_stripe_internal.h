// What a reader will ask of the records of a stripe, asked before the file is published.
#pragma once

#include <cstdint>
#include <span>

#include "dsi/writer/cluster/clustered_feature_internal.h"
#include "dsi/writer/layout/file_layout_internal.h"
#include "dsi/writer/publish/stripe_writer_internal.h"

namespace dsi::internal {

// kCorrupt where a record breaks a rule (F-060 … F-062, F-090, D-001 … D-013): no reader would take
// the file.
Status CheckPlacedStripe(const FileLayout& layout, std::span<const ClusteredFeature> features,
                         uint32_t page_values, const PlacedStripe& stripe);

}  // namespace dsi::internal
