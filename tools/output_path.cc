#include "dsi/tools/output_path_internal.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "dsi/base/error_internal.h"
#include "dsi/io/same_file_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::tools {

namespace fs = std::filesystem;

Status CheckOutput(std::string_view option, const std::string& path,
                   std::span<const std::string> others) {
  for (const std::string& other : others) {
    if (!internal::IsSameFile(path, other)) continue;
    return internal::InvalidArgument("{} {}: the same file as {}; name another one", option, path,
                                     other);
  }
  return Status::Ok();
}

namespace {

// As it is spelled from the root on; a pattern stays one.
std::string FromRoot(const std::string& path) {
  const bool is_url = internal::SchemeOf(path) == "file";
  const Result<std::string> local = is_url ? internal::PathOfFileUrl(path) : path;
  std::error_code error;
  const fs::path whole = fs::absolute(local.ok() ? *local : path, error);
  return error ? path : whole.lexically_normal().string();
}

}  // namespace

Status CheckOutside(const std::string& out, std::span<const std::string> in) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(out, error);
  if (error || !internal::SchemeOf(out).empty()) return Status::Ok();
  for (const std::string& folder : in) {
    const bool is_pattern =
        folder.find_first_of("*?[") != folder.npos && !fs::exists(folder, error);
    if (is_pattern && ::fnmatch(FromRoot(folder).c_str(), FromRoot(out).c_str(),
                                FNM_PATHNAME | FNM_PERIOD) == 0) {
      return internal::InvalidArgument(
          "{}: fits {}, which would then have every row twice; write to another folder", out,
          folder);
    }
    if (!internal::SchemeOf(folder).empty() || !fs::is_directory(folder, error)) continue;
    const fs::path around = fs::canonical(folder, error);
    if (error) continue;
    const auto end = std::mismatch(around.begin(), around.end(), real.begin(), real.end());
    if (end.first != around.end()) continue;
    return internal::InvalidArgument(
        "{}: lies in {}, which would then have every row twice; write to another folder", out,
        folder);
  }
  return Status::Ok();
}

}  // namespace dsi::tools
