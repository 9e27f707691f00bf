// Values of a manifest's JSON, each of which is known by name and stands once, so that nothing of
// it is overlooked (DS-010).
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/parse_whole_internal.h"
#include "dsi/base/status.h"
#include "dsi/format/types.h"

namespace dsi::internal {

// Calls read(place of the name among `names`, value) for each member. At most 32 names.
template <typename Read>
Status ReadMembers(simdjson::dom::element value, std::span<const std::string_view> names,
                   const Read& read) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return BadInput("expected an object");
  uint32_t seen = 0;
  for (const simdjson::dom::key_value_pair member : object) {
    const auto name = std::find(names.begin(), names.end(), member.key);
    if (name == names.end()) return BadInput("unknown member {}", QuoteForMessage(member.key));
    const auto place = static_cast<size_t>(name - names.begin());
    if ((seen >> place & 1) != 0) return BadInput("{} stands twice", QuoteForMessage(member.key));
    seen |= uint32_t{1} << place;
    DSI_RETURN_IF_ERROR(read(place, member.value).At(*name));
  }
  return Status::Ok();
}

inline Status ReadText(simdjson::dom::element value, std::string* out) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return BadInput("expected a string");
  out->assign(text);
  return Status::Ok();
}

// DS-012: large ones may be strings.
inline Status ReadNumber(simdjson::dom::element value, uint64_t most, uint64_t* out) {
  std::string_view text;
  const bool is_number = value.get(*out) == simdjson::SUCCESS ||
                         (value.get(text) == simdjson::SUCCESS && ParseWhole(text, out));
  if (is_number && *out <= most) return Status::Ok();
  return BadInput("expected a whole number from 0 to {}", most);
}

inline Status ReadNumber32(simdjson::dom::element value, uint32_t most, uint32_t* out) {
  uint64_t number = 0;
  DSI_RETURN_IF_ERROR(ReadNumber(value, most, &number));
  *out = static_cast<uint32_t>(number);
  return Status::Ok();
}

// Bits of a number of the type (DS-012); false: it is none.
bool ReadTypedValue(simdjson::dom::element value, Type type, uint64_t* bits);
// `bits` of signed numbers are extended to 64.
void AppendTypedValue(uint64_t bits, Type type, std::string* out);
void AppendWholeNumber(uint64_t number, std::string* out);

// DS-003.
inline Status ReadFingerprint(simdjson::dom::element value, uint64_t* out) {
  std::string_view text;
  const bool is_text = value.get(text) == simdjson::SUCCESS && text.size() == 16 &&
                       text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!is_text) return BadInput("expected 16 digits 0 … f");
  (void)std::from_chars(text.data(), text.data() + text.size(), *out, 16);
  return Status::Ok();
}

template <typename Read>
Status ReadArray(simdjson::dom::element value, uint64_t most, const Read& read) {
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return BadInput("expected an array");
  uint64_t i = 0;
  for (const simdjson::dom::element item : array) {
    if (i == most) return BadInput("more than {}", most);
    DSI_RETURN_IF_ERROR(read(i++, item));
  }
  return Status::Ok();
}

}  // namespace dsi::internal
