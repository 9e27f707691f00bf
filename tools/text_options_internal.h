// Options of the verbs that take texts or a .dsi file: how the texts are read, and that the other
// input has no use for them.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/tools/text_to_dsi_internal.h"

namespace dsi::tools {

// --schema, --format, --ignore-unknown, the policy for bad rows, --list-separator and --epoch-unit.
// `in` is what help calls the input.
std::vector<CLI::Option*> AddTextOptions(CLI::App* app, TextToDsiOptions* options,
                                         const std::string& in);

// kInvalidArgument: one of them was given.
Status RefuseIfGiven(const std::vector<const CLI::Option*>& options, std::string_view when);

// kInvalidArgument: a .dsi file among several inputs, which are texts.
Status CheckDsiIsAlone(const std::vector<std::string>& inputs);

}  // namespace dsi::tools
