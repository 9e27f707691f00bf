// How messages name a step.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "dsi/base/json_position_internal.h"
#include "dsi/transform/step.h"

namespace dsi::internal {

inline std::string StepPlace(size_t ordinal) { return fmt::format("steps[{}]", ordinal); }

inline std::string StepPlace(size_t ordinal, const TransformStep& step) {
  return fmt::format("steps[{}] {} ({})", ordinal, QuoteForMessage(step.output),
                     TransformOpName(step.op));
}

}  // namespace dsi::internal
