#include <charconv>
#include <limits>

#include "dsi/io/http_answer_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxText = 1024;

// Digits alone, up to what an off_t holds.
std::optional<uint64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || text.starts_with('-')) return std::nullopt;
  return static_cast<uint64_t>(number);
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool IsName(std::string_view text, std::string_view lower_name) {
  if (text.size() != lower_name.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower_name[i])
      return false;
  }
  return true;
}

}  // namespace

std::optional<ContentRange> ParseContentRange(std::string_view value) {
  value = Trim(value);
  const size_t blank = value.find(' ');
  if (blank == std::string_view::npos || !IsName(value.substr(0, blank), "bytes")) {
    return std::nullopt;
  }
  value = Trim(value.substr(blank));
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view span = value.substr(0, slash);
  const std::string_view total = value.substr(slash + 1);
  ContentRange range;
  if (total != "*") {
    range.total = ParseNumber(total);
    if (!range.total) return std::nullopt;
  }
  if (span == "*") return range.total ? std::optional(range) : std::nullopt;
  const size_t dash = span.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = ParseNumber(span.substr(0, dash));
  const auto last = ParseNumber(span.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  if (range.total && *last >= *range.total) return std::nullopt;
  range.begin = *first;
  range.end = *last + 1;
  return range;
}

void HttpAnswer::AddLine(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = HttpAnswer();
    const size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return;
    status = static_cast<int>(ParseNumber(line.substr(blank + 1, 3)).value_or(0));
    return;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trim(line.substr(colon + 1));
  if (value.size() > kMaxText) return;
  if (IsName(name, "etag")) etag = value;
  if (IsName(name, "last-modified")) last_modified = value;
  if (IsName(name, "content-encoding")) content_encoding = value;
  if (IsName(name, "x-amz-bucket-region")) bucket_region = value;
  if (IsName(name, "content-length")) content_length = ParseNumber(value);
  if (IsName(name, "content-range")) range = ParseContentRange(value);
  if (IsName(name, "retry-after")) retry_after_s = ParseNumber(value);
}

}  // namespace dsi::internal
