// How --help shows options: a group after an empty line, and of an option only what people type;
// which options need or exclude each other is told by their texts and by the error.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dsi::tools {

class HelpText : public CLI::Formatter {
 public:
  HelpText();
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace dsi::tools
