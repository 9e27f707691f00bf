// The generator of the wide profile.
#pragma once

#include <memory>

#include "dsi/tools/generate/generate_internal.h"

namespace dsi::tools {

std::unique_ptr<RowGenerator> MakeWide(const GenerateOptions& options);

}  // namespace dsi::tools
