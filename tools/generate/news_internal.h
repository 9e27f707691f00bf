// The generator of the news profile.
#pragma once

#include <memory>

#include "dsi/tools/generate/generate_internal.h"

namespace dsi::tools {

std::unique_ptr<RowGenerator> MakeNews(const GenerateOptions& options);

}  // namespace dsi::tools
