// Names of features that software adds; they begin with two underscores.
#pragma once

#include <string_view>

namespace dsi::internal {

// A key of type uint64: the place of a row in the input of a writer that clustered the rows.
inline constexpr std::string_view kPositionName = "__position";

}  // namespace dsi::internal
