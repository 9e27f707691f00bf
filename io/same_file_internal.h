// Whether two paths name one file.
#pragma once

#include <string>

namespace dsi::internal {

// By device and inode where both are there, else by what their links and folders come to: a path of
// an output may have no file yet. URLs are as they are.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace dsi::internal
