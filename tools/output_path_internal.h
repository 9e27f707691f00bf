// Outputs that would take the place of what is read, or of each other.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dsi/base/status.h"

namespace dsi::tools {

// kInvalidArgument: `path`, which an option names, is the same file as one of the others.
Status CheckOutput(std::string_view option, const std::string& path,
                   std::span<const std::string> others);
// kInvalidArgument: it lies in one of the folders that are read, or fits one of the patterns, which
// would have its rows twice.
Status CheckOutside(const std::string& out, std::span<const std::string> in);

}  // namespace dsi::tools
