// The generator of the visits profile.
#pragma once

#include <memory>

#include "dsi/tools/generate/generate_internal.h"

namespace dsi::tools {

std::unique_ptr<RowGenerator> MakeVisits(const GenerateOptions& options);

}  // namespace dsi::tools
