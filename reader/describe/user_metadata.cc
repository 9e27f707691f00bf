// Section kind 1: the user's metadata, a JSON object of strings (spec F-080).
#include <simdjson.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/reader/describe/describe_internal.h"

namespace dsi::internal {
namespace {

Status NotAnObject(std::string_view reason) {
  return Corrupt("user metadata: not a JSON object of strings: {} (F-080)", reason);
}

// What the parser and the map take for a text: the parser's arrays have 16 bytes for each of the
// text's, the map about 40 for each quote.
uint64_t ParsedBytes(std::string_view text) {
  return uint64_t{text.size()} * 16 +
         static_cast<uint64_t>(std::count(text.begin(), text.end(), '"')) * 40;
}

Result<std::map<std::string, std::string>> ParseObject(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const auto parsed = parser.parse(text.data(), text.size());
  if (parsed.error() == simdjson::MEMALLOC) throw std::bad_alloc();
  if (const auto error = parsed.get(object)) {
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

Result<std::map<std::string, std::string>> LoadUserMetadata(const OpenFile& file,
                                                            MemoryBudget* budget) {
  for (const SectionRef& section : file.core().sections) {
    if (section.kind != kSectionMetadata) continue;
    DSI_ASSIGN_OR_RETURN(const CountedVector<std::byte> bytes, file.LoadSection(section, budget));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    MemoryCharge charge(budget);
    DSI_RETURN_IF_ERROR(charge.Add(ParsedBytes(text)));
    return ParseObject(text);
  }
  return std::map<std::string, std::string>{};
}

}  // namespace dsi::internal
