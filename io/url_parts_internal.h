// What a URL is made of, as libcurl understands it.
#pragma once

#include <optional>
#include <string>

namespace dsi::internal {

struct UrlParts {
  std::string scheme;
  std::string host;  // Lower-case; addresses in their usual form, "[::1]" in brackets.
  std::string port;  // That of the scheme where none is said.

  bool operator==(const UrlParts&) const = default;
  bool is_http() const { return scheme == "http" || scheme == "https"; }
};

// Nothing: no URL.
std::optional<UrlParts> ParseUrl(const std::string& text);

}  // namespace dsi::internal
