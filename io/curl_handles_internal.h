// Handles of libcurl, and what all requests have in common.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

namespace dsi::internal {

struct FreeCurl {
  void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
  void operator()(curl_slist* lines) const { ::curl_slist_free_all(lines); }
};
using CurlEasy = std::unique_ptr<CURL, FreeCurl>;
using CurlLines = std::unique_ptr<curl_slist, FreeCurl>;

// False: no memory.
bool AddLine(const std::string& line, CurlLines* lines);

// Makes libcurl ready, once in a process. False: it cannot be.
bool StartCurl();

// Sets options until one fails, which they do for want of memory or in a libcurl without the
// feature.
class CurlSetter {
 public:
  explicit CurlSetter(CURL* easy) : easy_(easy) {}
  template <typename Value>
  void operator()(CURLoption option, Value value) {
    if (code_ == CURLE_OK) code_ = ::curl_easy_setopt(easy_, option, value);
  }
  CURLcode code() const { return code_; }

 private:
  CURL* easy_;
  CURLcode code_ = CURLE_OK;
};

// How patiently, with which certificates, and what of libcurl's ways is not wanted.
void SetConnectionOptions(double connect_timeout_s, const std::string& ca_file, CurlSetter* setter);

// At least 1.
long Milliseconds(double seconds);

}  // namespace dsi::internal
