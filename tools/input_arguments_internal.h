// "IN... OUT" on a command line: the last of several names is the output.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dsi::tools {

// Adds the arguments IN, at least one, and OUT behind them.
void AddInputsAndOutput(CLI::App* app, std::vector<std::string>* inputs, const std::string& in_text,
                        std::string* output, const std::string& out_text);

}  // namespace dsi::tools
