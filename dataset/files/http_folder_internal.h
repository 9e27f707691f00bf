// The JSON in which nginx lists a folder (autoindex_format json), read strictly: a server is
// believed no more than a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"

namespace dsi::internal {

struct HttpFolder {
  // Names of one part, without hidden ones.
  std::vector<std::string> folders;
  std::vector<std::string> files;
  size_t num_entries = 0;  // Hidden ones too.
};

// kInvalidArgument: not such a JSON.
Result<HttpFolder> ParseHttpFolder(std::string_view json);

}  // namespace dsi::internal
