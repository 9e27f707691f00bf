// Whether paths name one file.
#pragma once

#include <string>

namespace dsi::internal {

// The same for all paths of one file: device and inode where it is there, else what links and
// folders come to, as a path of an output may have no file yet. URLs are as they are.
std::string FileIdentity(const std::string& path);

inline bool IsSameFile(const std::string& a, const std::string& b) {
  return FileIdentity(a) == FileIdentity(b);
}

}  // namespace dsi::internal
