// Which files the texts of a command or a call are: files, patterns, folders and URLs.
#pragma once

#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/text/text_input.h"

namespace dsi {

// The paths of all files, each argument's in the order of their names. A file of exactly that name
// comes before what it means as a pattern ('*', '?', '[…]', '**' for any folders). Of a folder, or
// a URL that ends in a slash, these are all files below it whose ending tells a format of text;
// where `format` is stated, those that tell this one or none (but .dsi). Hidden ones and those
// named "_…" are left out; "-" is standard input. Files are listed, none is opened.
// kNotFound: no file is there or fits; kInvalidArgument: one would be read twice; kIo.
DSI_EXPORT Result<std::vector<std::string>> ListTexts(const std::vector<std::string>& arguments,
                                                      TextFormat format = TextFormat::kFromName);

}  // namespace dsi
