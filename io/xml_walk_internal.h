// The XML that services of AWS answer with, read strictly: a server is believed no more than a
// file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dsi/base/status.h"

namespace dsi::internal {

using XmlVisit = std::function<Status(std::string_view path, const std::string& text)>;

// Calls visit(path, text) at the end of each element, of one with others in it with their texts
// left out: "ListBucketResult/Contents/Key". kIo: malformed, or deeper than 16; no document types,
// comments or sections are taken.
Status WalkXml(std::string_view xml, const XmlVisit& visit);

}  // namespace dsi::internal
