#include "dsi/io/url_parts_internal.h"

#include <curl/curl.h>

#include <memory>

namespace dsi::internal {
namespace {

std::string Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (::curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
  std::string copy(text);
  ::curl_free(text);
  return copy;
}

}  // namespace

std::optional<UrlParts> ParseUrl(const std::string& text) {
  const std::unique_ptr<CURLU, void (*)(CURLU*)> url(::curl_url(), &::curl_url_cleanup);
  if (url == nullptr || ::curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return std::nullopt;
  }
  UrlParts parsed{.scheme = Part(url.get(), CURLUPART_SCHEME),
                  .host = Part(url.get(), CURLUPART_HOST),
                  .port = Part(url.get(), CURLUPART_PORT)};
  for (char& c : parsed.host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return parsed;
}

}  // namespace dsi::internal
