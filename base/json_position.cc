#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "dsi/base/json_position_internal.h"

namespace dsi::internal {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class FaultFinder {
 public:
  explicit FaultFinder(std::string_view text) : text_(text) {}

  JsonFault Run() {
    SkipSpace();
    if (Value(0)) {
      SkipSpace();
      if (at_ < text_.size()) Fail("the end of the line");
    }
    return std::move(fault_);
  }

 private:
  bool Fail(std::string_view expected) {
    fault_.offset = at_;
    if (at_ >= text_.size()) {
      fault_.message = fmt::format("the text ends early, expected {}", expected);
    } else {
      fault_.message =
          fmt::format("found {}, expected {}", QuoteForMessage(text_.substr(at_, 12)), expected);
    }
    return false;
  }
  bool FailAt(size_t offset, std::string message) {
    fault_ = {offset, std::move(message)};
    return false;
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) {
      ++at_;
    }
  }

  bool Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return Fail("a value");
    at_ += word.size();
    return true;
  }

  bool Value(size_t depth) {
    if (depth >= kMaxJsonDepth && (Peek() == '{' || Peek() == '[')) {
      return FailAt(at_, fmt::format("nested deeper than {}", kMaxJsonDepth));
    }
    switch (Peek()) {
      case '{':
        return Object(depth);
      case '[':
        return Array(depth);
      case '"':
        return String();
      case 't':
        return Word("true");
      case 'f':
        return Word("false");
      case 'n':
        return Word("null");
      default:
        return Number();
    }
  }

  bool Object(size_t depth) {
    ++at_;
    SkipSpace();
    if (Take('}')) return true;
    while (true) {
      SkipSpace();
      if (Peek() != '"') return Fail("a name in double quotes");
      if (!String()) return false;
      SkipSpace();
      if (!Take(':')) return Fail("':'");
      SkipSpace();
      if (!Value(depth + 1)) return false;
      SkipSpace();
      if (Take('}')) return true;
      if (!Take(',')) return Fail("',' or '}'");
    }
  }

  bool Array(size_t depth) {
    ++at_;
    SkipSpace();
    if (Take(']')) return true;
    while (true) {
      SkipSpace();
      if (!Value(depth + 1)) return false;
      SkipSpace();
      if (Take(']')) return true;
      if (!Take(',')) return Fail("',' or ']'");
    }
  }

  bool String() {
    const size_t begin = at_++;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < 0x20) return Fail("control characters in strings to be escaped");
      ++at_;
      if (c == '\\' && !Escape()) return false;
    }
    return FailAt(begin, "a string that never ends");
  }

  bool Escape() {
    const char c = Peek();
    if (c != 'u') {
      if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
        return Fail("one of \"\\/bfnrtu after a backslash");
      }
      ++at_;
      return true;
    }
    uint32_t code = 0;
    if (!HexQuad(&code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return FailAt(at_ - 4, "a lone low surrogate");
    if (code < 0xd800 || code >= 0xdc00) return true;
    const size_t high_at = at_ - 4;
    uint32_t low = 0;
    if (!Take('\\') || Peek() != 'u') return FailAt(high_at, "a lone high surrogate");
    if (!HexQuad(&low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return FailAt(high_at, "a lone high surrogate");
    return true;
  }

  // Reads uXXXX.
  bool HexQuad(uint32_t* code) {
    ++at_;
    for (int i = 0; i < 4; ++i) {
      if (!IsHex(Peek())) return Fail("four hexadecimal digits after \\u");
      const char c = text_[at_++];
      *code = *code * 16 + static_cast<uint32_t>(IsDigit(c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    return true;
  }

  bool Number() {
    const size_t begin = at_;
    const bool negative = Take('-');
    if (!IsDigit(Peek())) {
      if (!negative) return Fail("a value");
      return Fail("a digit");
    }
    if (Take('0') && IsDigit(Peek())) return FailAt(begin, "a number with leading zeros");
    while (IsDigit(Peek())) ++at_;
    bool whole = true;
    if (Take('.')) {
      whole = false;
      if (!IsDigit(Peek())) return Fail("a digit");
      while (IsDigit(Peek())) ++at_;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      whole = false;
      ++at_;
      if (!Take('-')) Take('+');
      if (!IsDigit(Peek())) return Fail("a digit");
      while (IsDigit(Peek())) ++at_;
    }
    return CheckRange(begin, whole, negative);
  }

  bool CheckRange(size_t begin, bool whole, bool negative) {
    const char* first = text_.data() + begin;
    const char* last = text_.data() + at_;
    std::from_chars_result result{};
    if (!whole) {
      double number = 0;
      result = std::from_chars(first, last, number);
      // A number too close to zero is read as zero; only one too large is a fault.
      const std::string_view digits = text_.substr(begin, at_ - begin);
      const bool tiny = digits.find("e-") != std::string_view::npos ||
                        digits.find("E-") != std::string_view::npos ||
                        digits.starts_with(negative ? "-0." : "0.");
      if (result.ec == std::errc::result_out_of_range && tiny) return true;
    } else if (negative) {
      int64_t number = 0;
      result = std::from_chars(first, last, number);
    } else {
      uint64_t number = 0;
      result = std::from_chars(first, last, number);
    }
    if (result.ec == std::errc()) return true;
    const std::string_view found = text_.substr(begin, at_ - begin);
    return FailAt(begin, fmt::format("the {} {} does not fit {}", whole ? "whole number" : "number",
                                     found.substr(0, 40), whole ? "64 bits" : "float64"));
  }

  std::string_view text_;
  size_t at_ = 0;
  JsonFault fault_;
};

}  // namespace

JsonFault FindJsonFault(std::string_view text) { return FaultFinder(text).Run(); }

std::string ExampleOf(std::string_view text) {
  constexpr size_t kMaxBytes = 40;
  size_t length = std::min(text.size(), kMaxBytes);
  // Not inside a character.
  while (length < text.size() && length > 0 && (text[length] & 0xc0) == 0x80) --length;
  std::string example(text.substr(0, length));
  if (length < text.size()) example += "…";
  return example;
}

std::string QuoteForMessage(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string quoted = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '"' || c == '\\') {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  // A character cut in half would make the message itself bad UTF-8.
  if (text.size() > kLongest) {
    while (quoted.size() > 1 && (static_cast<unsigned char>(quoted.back()) & 0xc0) == 0x80) {
      quoted.pop_back();
    }
    if (static_cast<unsigned char>(quoted.back()) >= 0xc0) quoted.pop_back();
    quoted += "…";
  }
  quoted += '"';
  return quoted;
}

}  // namespace dsi::internal
