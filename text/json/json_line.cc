#include "dsi/text/json/json_line_internal.h"

#include <algorithm>
#include <limits>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

// Gives the start of the first character that is not valid UTF-8, or the size of the line.
size_t FindBadUtf8(std::string_view line) {
  size_t at = 0;
  while (at < line.size()) {
    const auto lead = static_cast<unsigned char>(line[at]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length > line.size() - at) return at;
    if (length > 1 && !simdjson::validate_utf8(line.data() + at, length)) return at;
    at += length;
  }
  return at;
}

Status Malformed(std::string_view line, const LineSource& lines, simdjson::error_code code) {
  const size_t bad = FindBadUtf8(line);
  if (bad < line.size()) {
    return BadInput("{}:{}: text that is not valid UTF-8", lines.Where(), bad + 1);
  }
  const JsonFault fault = FindJsonFault(line);
  if (fault.message.empty()) {
    return BadInput("{}: malformed JSON: {}", lines.Where(), simdjson::error_message(code));
  }
  return BadInput("{}:{}: malformed JSON: {}", lines.Where(), fault.offset + 1, fault.message);
}

}  // namespace

Status JsonLineParser::Parse(std::string_view line, const LineSource& lines, dom::object* object) {
  if (line.size() > simdjson::SIMDJSON_MAXSIZE_BYTES - simdjson::SIMDJSON_PADDING) {
    return Error(StatusCode::kResourceExhausted, "{}: a line of {} bytes, expected less than 4 GiB",
                 lines.Where(), line.size());
  }
  if (line.size() > capacity_) {
    // Doubling, so that lines that grow slowly do not allocate each time.
    const size_t capacity = std::min<size_t>(std::max<size_t>(line.size(), capacity_ * 2),
                                             simdjson::SIMDJSON_MAXSIZE_BYTES);
    if (parser_.allocate(capacity, kMaxJsonDepth + 1) != simdjson::SUCCESS ||
        parser_.doc.allocate(capacity) != simdjson::SUCCESS) {
      capacity_ = 0;
      return Error(StatusCode::kResourceExhausted, "{}: out of memory", lines.Where());
    }
    capacity_ = capacity;
  }
  dom::element root;
  const simdjson::error_code code = parser_.parse(line.data(), line.size(), false).get(root);
  if (code == simdjson::MEMALLOC) {
    return Error(StatusCode::kResourceExhausted, "{}: out of memory", lines.Where());
  }
  if (code != simdjson::SUCCESS) return Malformed(line, lines, code);
  if (root.get(*object) == simdjson::SUCCESS) return {};
  return BadInput("{}: found {}, expected an object per line", lines.Where(), DescribeJson(root));
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::string DescribeJson(dom::element value) {
  switch (value.type()) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::STRING:
      return "the string " + QuoteForMessage(std::string_view(value));
    case dom::element_type::NULL_VALUE:
      return "null";
    case dom::element_type::BOOL:
      return bool(value) ? "true" : "false";
    case dom::element_type::INT64:
      return fmt::format("the number {}", int64_t(value));
    case dom::element_type::UINT64:
      return fmt::format("the number {}", uint64_t(value));
    case dom::element_type::DOUBLE:
      return fmt::format("the number {}", double(value));
  }
  return "an unknown value";
}

bool ParseFloatWord(std::string_view word, double* value) {
  using Limits = std::numeric_limits<double>;
  if (word == "NaN") {
    *value = Limits::quiet_NaN();
  } else if (word == "Infinity") {
    *value = Limits::infinity();
  } else if (word == "-Infinity") {
    *value = -Limits::infinity();
  } else {
    return false;
  }
  return true;
}

}  // namespace dsi::internal
