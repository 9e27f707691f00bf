// The XML in which S3 lists a bucket (ListObjectsV2), read strictly: a server is believed no more
// than a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"

namespace dsi::internal {

struct S3Answer {
  std::vector<std::string> keys;
  std::string next;  // The token that asks for what follows; empty: nothing does.
};

// kIo: not such an XML. No document types, comments or sections are taken.
Result<S3Answer> ParseS3Answer(std::string_view xml);

}  // namespace dsi::internal
