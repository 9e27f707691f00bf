// The man page, from the command line's own options and footers.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "dsi/tools/describe_options_internal.h"

namespace dsi::tools {
namespace {

// A line of text as roff takes it: no escapes, no requests, hyphens that can be searched for.
std::string Roff(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\') {
      line += "\\e";
    } else if (c == '-') {
      line += "\\-";
    } else if (c == '\'') {
      line += "\\(aq";
    } else {
      line += c;
    }
  }
  return line.starts_with('.') ? "\\&" + line : line;
}

// Lines that are indented are shown as they are, the others filled.
std::string Paragraphs(std::string_view text) {
  std::string roff;
  bool as_is = false;
  const auto show_as_is = [&](bool wanted) {
    if (wanted != as_is) roff += wanted ? ".PP\n.nf\n.RS\n" : ".RE\n.fi\n.PP\n";
    as_is = wanted;
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      if (!as_is && !text.empty()) roff += ".PP\n";
      continue;
    }
    show_as_is(line.starts_with("  "));
    if (as_is) line.remove_prefix(2);
    roff += Roff(line) + "\n";
  }
  show_as_is(false);
  return roff;
}

std::string Entry(const OptionText& option) {
  std::string head;
  for (const std::string& name : option.names) {
    if (!head.empty()) head += ", ";
    head += fmt::format("{}{}\\fR", option.positional ? "\\fI" : "\\fB", Roff(name));
  }
  if (!option.value.empty()) head += fmt::format(" \\fI{}\\fR", Roff(option.value));
  std::string text = Roff(option.text);
  if (!option.words.empty())
    text +=
        fmt::format("\n.br\nOne of: {}", Roff(fmt::format("{}", fmt::join(option.words, ", "))));
  return fmt::format(".TP\n{}\n{}\n", head, text);
}

std::string Synopsis(const VerbText& verb) {
  std::string line = fmt::format("\\fBdsictl {}\\fR [\\fIoptions\\fR]", Roff(verb.name));
  for (const OptionText& option : verb.options) {
    if (option.positional)
      line += fmt::format(" \\fI{}\\fR{}", Roff(option.names[0]), option.repeats ? " ..." : "");
  }
  return line;
}

std::string Options(const VerbText& verb) {
  std::string roff;
  std::string group;
  for (const bool positional : {true, false}) {
    for (const OptionText& option : verb.options) {
      if (option.positional != positional) continue;
      if (!positional && option.group != group)
        roff += fmt::format(".PP\n{}:\n", Roff(option.group));
      if (!positional) group = option.group;
      roff += Entry(option);
    }
  }
  return roff;
}

}  // namespace

std::string ManPage(const std::vector<VerbText>& verbs, const std::string& version) {
  const VerbText& program = verbs.front();
  std::string roff = fmt::format(
      ".TH DSICTL 1 \"\" \"dsictl {}\" \"User Commands\"\n.SH NAME\ndsictl \\- {}\n.SH SYNOPSIS\n"
      ".nf\n",
      Roff(version), Roff(program.text));
  for (size_t i = 1; i < verbs.size(); ++i) roff += Synopsis(verbs[i]) + "\n";
  roff += ".fi\n.SH OPTIONS\n" + Options(program) + ".SH VERBS\n";
  for (size_t i = 1; i < verbs.size(); ++i) {
    const VerbText& verb = verbs[i];
    roff += fmt::format(".SS {}\n{}\n.PP\n{}\n{}.PP\n{}", Roff(verb.name), Roff(verb.text),
                        Synopsis(verb), Options(verb), Paragraphs(verb.footer));
  }
  return roff + ".SH NOTES\n" + Paragraphs(program.footer);
}

}  // namespace dsi::tools
