#include "dsi/tools/many_files_internal.h"

#include <algorithm>
#include <filesystem>

#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::tools {

bool AreManyFiles(const std::vector<std::string>& names) {
  if (names.size() != 1) return true;
  const std::string& name = names.front();
  if (name.ends_with('/') || name.ends_with(".json")) return true;
  std::error_code error;
  const auto status = std::filesystem::status(name, error);
  if (std::filesystem::exists(status)) return std::filesystem::is_directory(status);
  // What is no file by its whole name: a pattern, or a table's snapshot by its number.
  const size_t at = name.rfind('@');
  const bool is_snapshot = at != std::string::npos && at + 1 < name.size() &&
                           std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                       name.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::string scheme = internal::SchemeOf(name);
  return is_snapshot || ((scheme.empty() || scheme == "s3") && internal::IsPattern(name));
}

Result<std::unique_ptr<Dataset>> OpenMany(const std::vector<std::string>& names,
                                          Progress* progress) {
  DatasetOptions options;
  options.progress = [progress](uint64_t done, uint64_t total) {
    return progress->Update("reading directories", done, total, ProgressUnit::kFiles);
  };
  return Dataset::Open(names, options);
}

}  // namespace dsi::tools
