// Objects of JSON whose names may be data.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "dsi/text/infer/infer_feature_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// Of the names that were seen in so many rows. In order of first appearance.
std::vector<NamesAsData> FindMaps(const std::deque<SeenFeature>& seen, uint64_t num_rows);

}  // namespace dsi::internal
