// Texts that are one JSON object of ours (a schema, a pipeline), read so that every mistake is
// named: members are asked for by name, and one that is misspelt or stands twice is an error.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

// "member": expected what.
Status Expected(std::string_view member, std::string_view what);
Status ReadString(std::string_view member, simdjson::dom::element value, std::string* out);
// At most `most`; 2^22 where that is not said, as many as any table of ours has columns.
Status ReadStrings(std::string_view member, simdjson::dom::element value, size_t most,
                   std::vector<std::string>* out);
Status ReadStrings(std::string_view member, simdjson::dom::element value,
                   std::vector<std::string>* out);

// Calls read(name, value) for each member; read refuses what it does not know.
template <typename Read>
Status ReadMembers(simdjson::dom::element value, Read&& read) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return BadInput("expected an object");
  std::unordered_set<std::string_view> seen;
  for (const simdjson::dom::key_value_pair member : object) {
    if (!seen.insert(member.key).second) {
      return BadInput("{} stands twice", QuoteForMessage(member.key));
    }
    DSI_RETURN_IF_ERROR(read(member.key, member.value));
  }
  return {};
}

// The root of a text of at most max_bytes, which lives as long as the parser. `what` begins every
// message: "schema". A mark of byte order is passed over.
Result<simdjson::dom::element> ParseJson(std::string_view json, size_t max_bytes,
                                         std::string_view what, simdjson::dom::parser* parser);

// A file and, where it is larger, at least max_bytes + 1 of it, so that ParseJson names the limit.
// kNotFound, kIo.
Result<std::string> ReadTextFile(const std::string& path, size_t max_bytes);

}  // namespace dsi::internal
