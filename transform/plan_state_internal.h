// What a TransformPlan holds.
#pragma once

#include <vector>

#include "dsi/transform/pipeline.h"
#include "dsi/transform/transform_plan.h"

namespace dsi::internal {

struct PlanState {
  std::vector<TransformFeature> features;
  std::vector<TransformStage> stages;
  std::vector<size_t> outputs;
  // One per stage.
  std::vector<ElementwiseChain> values;
  std::vector<ElementwiseChain> scores;
  std::vector<TransformStep> steps;  // Of stages that are not elementwise.
};

}  // namespace dsi::internal
