#include "dsi/tools/many_files_internal.h"

#include <algorithm>
#include <filesystem>

#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::tools {

namespace {

// Says nothing of what was given: it may be a token.
std::string CheckHeader(const std::string& given) {
  const size_t colon = given.find(':');
  const bool is_line = given.find_first_of("\r\n") == std::string::npos;
  const bool is_named = colon != std::string::npos && colon != 0;
  if (is_line && is_named && given.find_first_not_of(" \t", colon + 1) != std::string::npos)
    return "";
  return "expected one line 'Name: value', in quotes";
}

}  // namespace

void AddOpenOptions(CLI::App* app, OpenOptions* open) {
  constexpr const char* kGroup = "How files are opened";
  app->add_option("--http-header", open->remote.headers,
                  "Send 'Name: value' with each request for a URL; may be given again")
      ->allow_extra_args(false)
      ->check(CLI::Validator(CheckHeader, ""))
      ->type_name("HEADER")
      ->group(kGroup);
  app->add_option("--deadline", open->remote.deadline_s,
                  "Of URLs: give up on bytes that are not there after so long; default 120")
      ->check(CLI::Range(0.001, 86400.0).description(""))
      ->type_name("SECONDS")
      ->group(kGroup);
  app->add_flag("--direct", open->local.direct, "Read local files past the system's page cache")
      ->group(kGroup);
}

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

Result<std::unique_ptr<Dataset>> OpenMany(const std::vector<std::string>& names, Progress* progress,
                                          const OpenOptions& open) {
  DatasetOptions options;
  options.open = open;
  options.progress = [progress](uint64_t done, uint64_t total) {
    return progress->Update("reading directories", done, total, ProgressUnit::kFiles);
  };
  return Dataset::Open(names, options);
}

}  // namespace dsi::tools
