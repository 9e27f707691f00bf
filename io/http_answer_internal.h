// What a server's answer says of itself, line by line. Servers are believed as little as files:
// numbers are parsed whole or not at all, and texts are bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dsi::internal {

// "bytes 0-99/1000" is {0, 100, 1000}; of "bytes 0-99/*" the total is not known, and of
// "bytes */1000" the range.
struct ContentRange {
  uint64_t begin = 0;
  uint64_t end = 0;  // begin: no range.
  std::optional<uint64_t> total;
};
// Nothing: malformed, an end before the begin or beyond the total, or a number beyond int64.
std::optional<ContentRange> ParseContentRange(std::string_view value);

struct HttpAnswer {
  int status = 0;
  std::string etag;  // As sent, quotes and W/ included.
  std::string last_modified;
  std::string content_encoding;
  std::string bucket_region;
  std::optional<uint64_t> content_length;
  std::optional<ContentRange> range;  // Nothing: none was sent, or nonsense.
  std::optional<uint64_t> retry_after_s;

  // Takes one line of the answer's head. A status line starts a new answer: what stood before it
  // was an interim one.
  void AddLine(std::string_view line);
};

}  // namespace dsi::internal
