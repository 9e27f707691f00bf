// A command line that does not parse, in the words of dsictl.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "dsi/base/status.h"

namespace dsi::tools {

// kInvalidArgument. An unknown verb or option comes with those called nearly so; arguments that
// nobody takes come in the order given. `verb` is the one that was parsed, or empty.
Status ExplainParseError(const CLI::App& app, const CLI::ParseError& error,
                         const std::string& verb);

}  // namespace dsi::tools
