#include "dsi/dataset/files/http_folder_internal.h"

#include <simdjson.h>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

Status NoList() {
  return InvalidArgument(
      "the server does not list the folder in a form that is known (nginx with autoindex_format "
      "json); name a manifest there instead (dsictl manifest)");
}

}  // namespace

Result<HttpFolder> ParseHttpFolder(std::string_view json) {
  HttpFolder folder;
  dom::parser parser;
  dom::array entries;
  if (parser.parse(json.data(), json.size()).get(entries) != simdjson::SUCCESS) return NoList();
  for (const dom::element entry : entries) {
    std::string_view name, type;
    const bool is_entry = entry["name"].get(name) == simdjson::SUCCESS &&
                          entry["type"].get(type) == simdjson::SUCCESS;
    if (!is_entry || name.empty() || name.find('/') != std::string_view::npos) return NoList();
    ++folder.num_entries;
    if (name.starts_with('.')) continue;
    if (type == "directory") folder.folders.emplace_back(name);
    if (type == "file") folder.files.emplace_back(name);
  }
  return folder;
}

}  // namespace dsi::internal
