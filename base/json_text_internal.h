// Texts as JSON.
#pragma once

#include <string>
#include <string_view>

namespace dsi::internal {

// Adds a text in quotes; what is not ASCII stays as it is.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace dsi::internal
