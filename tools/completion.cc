// Completion scripts for bash and zsh, from the command line's own options.
#include <fmt/format.h>

#include <string_view>

#include "dsi/tools/describe_options_internal.h"

namespace dsi::tools {
namespace {

std::string Joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string NamesOf(const VerbText& verb) {
  std::vector<std::string> names;
  for (const OptionText& option : verb.options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return Joined(names, " ");
}

// Verbs alone: the first is the program itself.
std::vector<std::string> VerbNames(const std::vector<VerbText>& verbs) {
  std::vector<std::string> names;
  for (size_t i = 1; i < verbs.size(); ++i) names.push_back(verbs[i].name);
  return names;
}

// Within the single quotes of a shell.
std::string Quoted(std::string_view text) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted;
}

// Text of an _arguments specification: brackets and colons end its parts.
std::string ZshText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return Quoted(escaped);
}

// What the value of an option, or a place, is completed with.
std::string ZshAction(const OptionText& option) {
  if (!option.words.empty()) return fmt::format("({})", Joined(option.words, " "));
  return option.positional || option.value == "FILE" ? "_files" : " ";
}

std::string ZshSpec(const OptionText& option, std::string_view name) {
  if (option.positional) {
    return fmt::format("'{}:{}:_files'", option.repeats ? "*" : "", ZshText(option.names[0]));
  }
  // "=": the value may stand behind an equals sign.
  const bool is_long = name.starts_with("--");
  std::string spec =
      fmt::format("'{}{}{}[{}]", option.repeats ? "*" : "", name,
                  option.value.empty() ? "" : (is_long ? "=" : "+"), ZshText(option.text));
  if (!option.value.empty()) spec += fmt::format(":{}:{}", option.value, ZshAction(option));
  return spec + "'";
}

}  // namespace

std::string BashCompletion(const std::vector<VerbText>& verbs) {
  std::string options;
  std::string words;
  for (size_t i = 0; i < verbs.size(); ++i) {
    const std::string name = i == 0 ? "" : verbs[i].name;
    options += fmt::format("    '{}') options='{}' ;;\n", name, NamesOf(verbs[i]));
    for (const OptionText& option : verbs[i].options) {
      if (option.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& of_option : option.names) patterns.push_back(name + ":" + of_option);
      // "-": a value, which no list has.
      words += fmt::format("    {}) words='{}' ;;\n", Joined(patterns, "|"),
                           option.words.empty() ? "-" : Joined(option.words, " "));
    }
  }
  return fmt::format(R"(# bash completion for dsictl; printed by 'dsictl completion bash'.
_dsictl() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
  local verb= options= words= i
  COMPREPLY=()
  # Bash makes a word of its own of the "=" in --option=value.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = && $COMP_CWORD -ge 2 ]]; then
    prev=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then
      verb=${{COMP_WORDS[i]}}
      break
    fi
  done
  case $verb:$prev in
{}  esac
  if [[ $words == - ]]; then
    return
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  case $verb in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -z $verb ]]; then
    COMPREPLY=($(compgen -W '{}' -- "$cur"))
  fi
}}
# Where nothing is offered, names of files are.
complete -o default -F _dsictl dsictl
)",
                     words, options, Joined(VerbNames(verbs), " "));
}

std::string ZshCompletion(const std::vector<VerbText>& verbs) {
  std::string list;
  std::string cases;
  for (size_t i = 0; i < verbs.size(); ++i) {
    std::string specs;
    for (const OptionText& option : verbs[i].options) {
      for (const std::string& name : option.names)
        specs += fmt::format(" \\\n        {}", ZshSpec(option, name));
    }
    if (i == 0) {
      cases += fmt::format(
          "  if (( CURRENT == 2 )); then\n    _describe -t verbs verb verbs\n"
          "    _arguments{}\n    return\n  fi\n"
          "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
          "  case $verb in\n",
          specs);
      continue;
    }
    list += fmt::format("    '{}:{}'\n", verbs[i].name, ZshText(verbs[i].text));
    cases += fmt::format("    {})\n      _arguments{}\n      ;;\n", verbs[i].name, specs);
  }
  return fmt::format(R"(#compdef dsictl
# zsh completion for dsictl; printed by 'dsictl completion zsh'.
_dsictl() {{
  local -a verbs
  verbs=(
{}  )
{}  esac
}}
_dsictl "$@"
)",
                     list, cases);
}

}  // namespace dsi::tools
