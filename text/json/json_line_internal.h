// Parses one line of JSON Lines, and puts what is wrong with it into words.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/text/lines/line_source_internal.h"

namespace dsi::internal {

class JsonLineParser {
 public:
  // Parses the line that `lines` gave last. The object is valid until the next call. kBadInput
  // names file, line and column.
  Status Parse(std::string_view line, const LineSource& lines, simdjson::dom::object* object);

 private:
  simdjson::dom::parser parser_;
  size_t capacity_ = 0;
};

// True for a line of nothing but white space.
bool IsBlank(std::string_view line);

// "a string \"x\"", "the number 3.5", "an array": for messages.
std::string DescribeJson(simdjson::dom::element value);

// Reads the words that stand for floats that JSON lacks: NaN, Infinity, -Infinity.
bool ParseFloatWord(std::string_view word, double* value);

}  // namespace dsi::internal
