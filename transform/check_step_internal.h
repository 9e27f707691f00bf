// What can be said of one step: of its parameters, and of the types it is given.
#pragma once

#include <span>
#include <string>

#include "dsi/base/status.h"
#include "dsi/transform/step.h"

namespace dsi::internal {

// Parameters, number of inputs, limits (T-004, T-010). kInvalidArgument.
Status CheckStep(const TransformStep& step);

// The type of the output. kInvalidArgument says which input the operation does not take, and why.
Result<TransformType> StepType(const TransformStep& step, std::span<const TransformType> inputs);

// "list of int64".
std::string TypeText(const TransformType& type);

}  // namespace dsi::internal
