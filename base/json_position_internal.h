// Says where and why a JSON text is malformed. The fast parser only reports that it is; this slow,
// exact one runs once an error is known, so that the message can name the byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dsi::internal {

inline constexpr size_t kMaxJsonDepth = 64;  // Objects and arrays inside each other.

struct JsonFault {
  size_t offset = 0;    // Byte of the text, from 0.
  std::string message;  // "found '}', expected a value"; empty when no fault was found.
};

// Finds the first fault of one JSON value with nothing but white space around it. Whole numbers
// that do not fit 64 bits count as faults, for the fast parser refuses them. Bad UTF-8 is not
// looked for.
JsonFault FindJsonFault(std::string_view text);

// Puts a stretch of foreign text into quotes for a message: cut to 40 bytes, unprintable bytes
// escaped.
std::string QuoteForMessage(std::string_view text);

// The first 40 bytes of a value as an example of it, cut between characters.
std::string ExampleOf(std::string_view text);

}  // namespace dsi::internal
