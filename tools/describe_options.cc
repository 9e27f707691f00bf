#include "dsi/tools/describe_options_internal.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dsi::tools {
namespace {

constexpr std::string_view kUngrouped = "Options";

// The set that IsMember puts behind the name of a type: "WORD:{a,b}".
std::vector<std::string> WordsOf(std::string_view type_name) {
  std::vector<std::string> words;
  const size_t open = type_name.find(":{");
  const size_t close = type_name.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos) return words;
  std::string_view rest = type_name.substr(open + 2, close - open - 2);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(','), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

OptionText Describe(const CLI::Option& option, const std::string& group) {
  OptionText text;
  text.positional = option.get_positional();
  if (text.positional) {
    text.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  }
  const std::string type = option.get_type_name();
  if (!text.positional && option.get_items_expected_max() > 0)
    text.value = type.substr(0, type.find(':'));
  text.repeats = option.get_expected_max() > 1;
  text.words = WordsOf(type);
  text.text = option.get_description();
  text.group = group;
  return text;
}

VerbText DescribeVerb(const CLI::App& app) {
  VerbText verb = {app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    if (!group.empty()) verb.options.push_back(Describe(*option, group == kUngrouped ? "" : group));
  }
  return verb;
}

}  // namespace

std::vector<VerbText> DescribeVerbs(const CLI::App& root) {
  std::vector<VerbText> verbs = {DescribeVerb(root)};
  for (const CLI::App* app : root.get_subcommands(nullptr)) {
    if (!app->get_name().empty() && !app->get_group().empty()) verbs.push_back(DescribeVerb(*app));
  }
  return verbs;
}

}  // namespace dsi::tools
