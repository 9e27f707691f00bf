#include "dsi/dataset/order/state_json_internal.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "dsi/base/json_position_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

Status NotANumber(uint64_t least, uint64_t most) {
  return BadInput("expected a whole number from {} to {}", least, most);
}

// A text of digits alone, without leading zeros unless `num_digits` says how many there are.
bool ParseDigits(std::string_view text, int base, size_t num_digits, uint64_t* out) {
  if (num_digits > 0 ? text.size() != num_digits : text.size() > 1 && text[0] == '0') return false;
  if (std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'F'; })) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out, base);
  return error == std::errc() && end == text.data() + text.size();
}

Status ReadMembers(dom::object object, std::span<const JsonMember> members) {
  std::vector<bool> seen(members.size(), false);
  for (const dom::key_value_pair pair : object) {
    const auto found = std::ranges::find(members, pair.key, &JsonMember::name);
    if (found == members.end()) return BadInput("unknown member {}", QuoteForMessage(pair.key));
    const auto i = static_cast<size_t>(found - members.begin());
    if (seen[i]) return BadInput("\"{}\" stands twice", found->name);
    seen[i] = true;
    DSI_RETURN_IF_ERROR(found->read(pair.value).At(found->name));
  }
  for (size_t i = 0; i < members.size(); ++i) {
    if (!seen[i]) return BadInput("\"{}\" is missing", members[i].name);
  }
  return {};
}

}  // namespace

Status ReadJsonObject(dom::element value, std::span<const JsonMember> members) {
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return BadInput("expected an object");
  return ReadMembers(object, members);
}

Status ReadStateText(std::string_view json, std::string_view what, std::string_view kind,
                     uint64_t version, std::span<const JsonMember> members) {
  if (json.size() > kMaxStateBytes) {
    return BadInput("{}: {} bytes, at most {} are allowed", what, json.size(), kMaxStateBytes);
  }
  if (json.empty()) return BadInput("{}: the text is empty", what);
  dom::parser parser;
  if (parser.allocate(json.size() + 1, kMaxJsonDepth + 1) != simdjson::SUCCESS) {
    return OutOfMemory();
  }
  dom::element root;
  const simdjson::error_code code = parser.parse(json.data(), json.size(), true).get(root);
  if (code == simdjson::MEMALLOC) return OutOfMemory();
  if (code != simdjson::SUCCESS) {
    const JsonFault fault = FindJsonFault(json);
    if (fault.message.empty()) {
      return BadInput("{}: malformed JSON: {}", what, simdjson::error_message(code));
    }
    return BadInput("{}: malformed JSON at byte {}: {}", what, fault.offset, fault.message);
  }
  // The version first: members of another one are not errors of their own.
  uint64_t found = 0;
  if (root[kind].get(found) != simdjson::SUCCESS) {
    return BadInput("{}: expected an object with \"{}\": {}; this is something else", what, kind,
                    version);
  }
  if (found != version) {
    return BadInput("{}: version {}, this build reads version {}; use the build that wrote it",
                    what, found, version);
  }
  std::vector<JsonMember> all(members.begin(), members.end());
  all.push_back({kind, [](dom::element) { return Status(); }});
  return ReadJsonObject(root, all).At(what);
}

JsonRead ReadNumber(uint64_t least, uint64_t most, uint64_t* out) {
  return [=](dom::element value) -> Status {
    if (value.get(*out) == simdjson::SUCCESS && *out >= least && *out <= most) return {};
    return NotANumber(least, most);
  };
}

JsonRead ReadNumber(uint64_t least, uint64_t most, uint32_t* out) {
  return [=](dom::element value) -> Status {
    uint64_t number = 0;
    DSI_RETURN_IF_ERROR(ReadNumber(least, std::min<uint64_t>(most, UINT32_MAX), &number)(value));
    *out = static_cast<uint32_t>(number);
    return {};
  };
}

JsonRead ReadBool(bool* out) {
  return [=](dom::element value) -> Status {
    if (value.get(*out) == simdjson::SUCCESS) return {};
    return BadInput("expected true or false");
  };
}

JsonRead ReadText(std::string* out) {
  return [=](dom::element value) -> Status {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return BadInput("expected a text");
    out->assign(text);
    return {};
  };
}

JsonRead ReadDecimal(uint64_t* out) {
  return [=](dom::element value) -> Status {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS && ParseDigits(text, 10, 0, out)) return {};
    return BadInput("expected a text of digits, below 2^64");
  };
}

JsonRead ReadHex(uint64_t* out) {
  return [=](dom::element value) -> Status {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS && ParseDigits(text, 16, 16, out)) return {};
    return BadInput("expected a text of 16 digits 0 to f");
  };
}

JsonRead ReadWord(std::span<const JsonWord> words, std::function<void(int)> put) {
  return [=](dom::element value) -> Status {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
      for (const JsonWord& word : words) {
        if (word.word == text) {
          put(word.value);
          return {};
        }
      }
    }
    std::string list;
    for (const JsonWord& word : words) {
      list += list.empty() ? "" : ", ";
      list += word.word;
    }
    return BadInput("expected one of {}", list);
  };
}

std::string_view WordOf(std::span<const JsonWord> words, int value) {
  return std::ranges::find(words, value, &JsonWord::value)->word;
}

}  // namespace dsi::internal
