#include <algorithm>
#include <optional>

#include "dsi/base/error_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

constexpr std::string_view kAfterScheme = "://";

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

void AddEscaped(char c, std::string* text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  text->append({'%', kHex[byte >> 4], kHex[byte & 15]});
}

std::optional<int> HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = Lower(c);
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return std::nullopt;
}

// Letters and digits are kept.
std::string EscapeAllBut(std::string_view kept, std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (IsLetter(c) || IsDigit(c) || kept.find(c) != std::string_view::npos) {
      escaped.push_back(c);
    } else {
      AddEscaped(c, &escaped);
    }
  }
  return escaped;
}

}  // namespace

std::string SchemeOf(std::string_view name) {
  const size_t end = name.find(kAfterScheme);
  if (end == std::string_view::npos || end == 0 || !IsLetter(name[0])) return {};
  std::string scheme(name.substr(0, end));
  for (char& c : scheme) {
    if (!IsLetter(c) && !IsDigit(c) && c != '+' && c != '-' && c != '.') return {};
    c = Lower(c);
  }
  return scheme;
}

std::string WithoutSecrets(std::string_view url) {
  const size_t scheme_end = url.find(kAfterScheme);
  const size_t begin = scheme_end == std::string_view::npos ? 0 : scheme_end + kAfterScheme.size();
  std::string shown(url.substr(0, begin));
  std::string_view rest = url.substr(begin);
  const size_t authority_end = std::min(rest.find_first_of("/?#"), rest.size());
  // The last '@' of the authority, as libcurl has it: a password may hold others.
  const size_t at = rest.substr(0, authority_end).rfind('@');
  if (at != std::string_view::npos) rest.remove_prefix(at + 1);
  const size_t path_end = std::min(rest.find_first_of("?#"), rest.size());
  shown.append(rest.substr(0, path_end));
  if (path_end < rest.size() && rest[path_end] == '?') shown.append("?…");
  return shown;
}

std::string ShownName(const std::string& name) {
  return SchemeOf(name).empty() ? name : WithoutSecrets(name);
}

std::string EscapeUrl(std::string_view url) {
  constexpr std::string_view kNever = "\"<>\\^`{|}";
  std::string escaped;
  escaped.reserve(url.size());
  for (const char c : url) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte >= 0x7F || kNever.find(c) != std::string_view::npos) {
      AddEscaped(c, &escaped);
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

std::string EscapeKey(std::string_view key) { return EscapeAllBut("-_.~/", key); }
std::string EscapeValue(std::string_view value) { return EscapeAllBut("-_.~", value); }

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<std::string> PathOfFileUrl(std::string_view url) {
  std::string_view rest = url.substr(std::min(url.size(), url.find(kAfterScheme) + 3));
  const size_t slash = rest.find('/');
  const std::string_view host = rest.substr(0, slash);
  if (slash == std::string_view::npos || (!host.empty() && host != "localhost")) {
    return InvalidArgument("{}: a file URL is file:///path", url);
  }
  rest.remove_prefix(slash);
  std::string path;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '%') {
      path.push_back(rest[i]);
      continue;
    }
    const auto high = i + 1 < rest.size() ? HexDigit(rest[i + 1]) : std::nullopt;
    const auto low = i + 2 < rest.size() ? HexDigit(rest[i + 2]) : std::nullopt;
    if (!high || !low) return InvalidArgument("{}: % without two hex digits behind it", url);
    path.push_back(static_cast<char>(*high * 16 + *low));
    i += 2;
  }
  return path;
}

}  // namespace dsi::internal
