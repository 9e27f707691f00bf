// The files in which tools of AWS keep profiles: sections of "name = value".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "dsi/base/status.h"

namespace dsi::internal {

inline constexpr size_t kMaxIniBytes = size_t{1} << 20;

using IniSection = std::map<std::string, std::string, std::less<>>;
// By their names, blanks made one and quotes left out: "profile train".
using IniFile = std::map<std::string, IniSection, std::less<>>;

// Names of values are made lower-case. Lines that begin with '#' or ';', and what stands behind a
// blank and one of them, are comments. A line that begins with a blank goes on with the value
// before it; below one that is empty it is a value of its own: "s3.endpoint_url". A section that
// stands twice is one. kBadInput: "PATH:LINE: …", which never quotes the line.
Result<IniFile> ParseIni(std::string_view text, std::string_view path);

}  // namespace dsi::internal
