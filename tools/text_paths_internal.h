// Which files the texts of a command line are: patterns that no shell has expanded, and folders.
#pragma once

#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/text/text_input.h"

namespace dsi::tools {

// The paths of all files, each argument's in the order of their names. A file of exactly that name
// comes before what it means as a pattern ('*', '?', '[…]', '**' for any folders). Of a folder
// these are all files below it whose ending tells a format of text; where `format` is stated, those
// that tell this one or none (but .dsi). Hidden ones and those named "_…" are left out. kNotFound:
// no file is there or fits; kInvalidArgument: one would be read twice; kIo.
Result<std::vector<std::string>> ListTexts(const std::vector<std::string>& arguments,
                                           TextFormat format);

}  // namespace dsi::tools
