// Verbs and options as the command line has them, for what is made of them: completion scripts and
// the man page.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dsi::tools {

struct OptionText {
  std::vector<std::string> names;  // "-n", "--rows"; of what has a place and no name, "FILE".
  bool positional = false;
  bool repeats = false;
  std::string value;               // "N"; empty: takes none.
  std::vector<std::string> words;  // All that the value may be; empty: anything.
  std::string text;
  std::string group;  // Empty: the first.
};

struct VerbText {
  std::string name;
  std::string text;
  std::string footer;
  std::vector<OptionText> options;
};

// The program itself comes first, without its hidden verbs.
std::vector<VerbText> DescribeVerbs(const CLI::App& root);

// Scripts that complete verbs, options and words; names of files where those are expected.
std::string BashCompletion(const std::vector<VerbText>& verbs);
std::string ZshCompletion(const std::vector<VerbText>& verbs);
// One page in roff for all verbs.
std::string ManPage(const std::vector<VerbText>& verbs, const std::string& version);

}  // namespace dsi::tools
