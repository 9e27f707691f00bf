// Strict reading of small JSON texts: each member is there once, and no other.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "dsi/base/error_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

inline constexpr size_t kMaxStateBytes = 1U << 26;

using JsonRead = std::function<Status(simdjson::dom::element value)>;

struct JsonMember {
  std::string_view name;
  JsonRead read;
};

// Reads a text that is an object with the version `version` under the name `kind`. All errors are
// kBadInput, but for memory that runs out, and begin with `what`.
Status ReadStateText(std::string_view json, std::string_view what, std::string_view kind,
                     uint64_t version, std::span<const JsonMember> members);
// An object inside of one.
Status ReadJsonObject(simdjson::dom::element value, std::span<const JsonMember> members);

// Readers of values. Numbers that JSON readers may round are texts: of decimal or 16 hexadecimal
// digits (spec DO-014).
JsonRead ReadNumber(uint64_t least, uint64_t most, uint64_t* out);
JsonRead ReadNumber(uint64_t least, uint64_t most, uint32_t* out);
JsonRead ReadBool(bool* out);
JsonRead ReadText(std::string* out);
JsonRead ReadDecimal(uint64_t* out);
JsonRead ReadHex(uint64_t* out);

struct JsonWord {
  std::string_view word;
  int value;
};
// One of several words; put() gets its value.
JsonRead ReadWord(std::span<const JsonWord> words, std::function<void(int)> put);
// The word of a value of the list.
std::string_view WordOf(std::span<const JsonWord> words, int value);

}  // namespace dsi::internal
