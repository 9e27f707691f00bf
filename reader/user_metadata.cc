// Section kind 1: the user's metadata, a JSON object of strings (spec F-080).
#include <simdjson.h>

#include <string_view>
#include <utility>

#include "dsi/format/error_internal.h"
#include "dsi/reader/describe_internal.h"

namespace dsi::internal {
namespace {

Status NotAnObject(std::string_view reason) {
  return Corrupt("user metadata: not a JSON object of strings: {} (F-080)", reason);
}

Result<std::map<std::string, std::string>> ParseObject(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(text.data(), text.size()).get(object)) {
    return NotAnObject(simdjson::error_message(error));
  }
  std::map<std::string, std::string> metadata;
  for (const auto [key, value] : object) {
    std::string_view string;
    if (const auto error = value.get(string)) return NotAnObject(simdjson::error_message(error));
    if (!metadata.emplace(key, string).second) return NotAnObject("a key stands twice");
  }
  return metadata;
}

}  // namespace

Result<std::map<std::string, std::string>> LoadUserMetadata(const OpenFile& file) {
  for (const SectionRef& section : file.core().sections) {
    if (section.kind != kSectionMetadata) continue;
    DSI_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, file.LoadSection(section));
    return ParseObject({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return std::map<std::string, std::string>{};
}

}  // namespace dsi::internal
