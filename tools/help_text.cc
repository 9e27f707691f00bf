#include "dsi/tools/help_text_internal.h"

#include <utility>

namespace dsi::tools {

HelpText::HelpText() {
  column_width(32);
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "VERB");
}

std::string HelpText::make_group(std::string group, bool is_positional,
                                 std::vector<const CLI::Option*> options) const {
  // CLI11 puts an empty line behind every group of options as well as in front.
  const bool is_first = is_positional || group == "Options";
  const std::string text =
      Formatter::make_group(std::move(group), is_positional, std::move(options));
  return is_first ? text : text.substr(1);
}

std::string HelpText::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return "";
  std::string text;
  if (!option->get_type_name().empty()) text += " " + option->get_type_name();
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option->get_required() && option->nonpositional()) text += " (required)";
  return text;
}

}  // namespace dsi::tools
