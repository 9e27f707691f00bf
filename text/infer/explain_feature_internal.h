// Puts into words what was seen of a feature and why it became what it is.
#pragma once

#include <cstdint>

#include "dsi/format/schema.h"
#include "dsi/text/infer/infer_feature_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// `rows`: all that were looked at.
FoundFeature ExplainFeature(const FeatureSpec& feature, const SeenFeature& seen,
                            const InferRules& rules, uint64_t rows);

// Of a feature that is made of the lists in a list, or of their lengths.
FoundFeature ExplainInner(const FeatureSpec& feature, const SeenFeature& list,
                          const InferRules& rules, uint64_t rows);

}  // namespace dsi::internal
