// The version of the JSON form of pipelines (T-001).
#pragma once

#include <cstdint>

namespace dsi::internal {

inline constexpr int64_t kPipelineVersion = 1;

}  // namespace dsi::internal
