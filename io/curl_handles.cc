#include "dsi/io/curl_handles_internal.h"

#include <algorithm>

#include "dsi/base/version.h"

namespace dsi::internal {

bool AddLine(const std::string& line, CurlLines* lines) {
  curl_slist* const longer = ::curl_slist_append(lines->get(), line.c_str());
  if (longer == nullptr) return false;
  (void)lines->release();  // `longer` begins with it.
  lines->reset(longer);
  return true;
}

bool StartCurl() {
  static const CURLcode code = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  return code == CURLE_OK;
}

void SetConnectionOptions(double connect_timeout_s, const std::string& ca_file,
                          CurlSetter* setter) {
  CurlSetter& set = *setter;
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  // One connection for each range: several on one share its window.
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_USERAGENT, "dsi/" DSI_VERSION);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, Milliseconds(connect_timeout_s));
  if (!ca_file.empty()) set(CURLOPT_CAINFO, ca_file.c_str());
}

long Milliseconds(double seconds) { return static_cast<long>(std::max(1.0, seconds * 1000)); }

}  // namespace dsi::internal
