// Files of formats that dsictl does not read, and how to bring them to it.
#pragma once

#include <string>
#include <string_view>

namespace dsi::tools {

// Advice in one line, with a command, for a file that its name or its first bytes show to be of
// another format (Parquet, bzip2); empty for all others. `verb` is what was asked for, `out` its
// output or empty.
std::string AdviceOnForeignFormat(const std::string& path, std::string_view verb,
                                  const std::string& out);

// The same for a file that a verb was to write; by its name.
std::string AdviceOnForeignOutput(const std::string& in, const std::string& out);

// A word that a shell reads back as `text`.
std::string ShellWord(std::string_view text);

}  // namespace dsi::tools
