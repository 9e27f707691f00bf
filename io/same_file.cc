#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "dsi/io/same_file_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {

std::string FileIdentity(const std::string& path) {
  if (SchemeOf(path) == "file") {
    const Result<std::string> local = PathOfFileUrl(path);
    return local.ok() ? FileIdentity(*local) : path;
  }
  if (!SchemeOf(path).empty()) return path;
  struct stat info {};
  // No path of a file begins so: those below are absolute.
  if (::stat(path.c_str(), &info) == 0) return fmt::format("{}:{}", info.st_dev, info.st_ino);
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  return error ? path : real.string();
}

}  // namespace dsi::internal
