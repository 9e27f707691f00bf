// The generator of p1 to p4 and sweep.
#pragma once

#include <memory>

#include "dsi/tools/generate/feature_class_internal.h"
#include "dsi/tools/generate/generate_internal.h"

namespace dsi::tools {

std::unique_ptr<RowGenerator> MakeSessionTable(const GenerateOptions& options,
                                               const SessionProfile& profile);

}  // namespace dsi::tools
