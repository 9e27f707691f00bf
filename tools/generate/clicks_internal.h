// The generator of the clicks profile.
#pragma once

#include <memory>

#include "dsi/tools/generate/generate_internal.h"

namespace dsi::tools {

std::unique_ptr<RowGenerator> MakeClicks(const GenerateOptions& options);

}  // namespace dsi::tools
