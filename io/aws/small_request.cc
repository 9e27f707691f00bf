#include "dsi/io/aws/small_request_internal.h"

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <new>
#include <thread>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/curl_handles_internal.h"
#include "dsi/io/http_judge_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxAnswer = 64 << 10;

struct Body {
  std::string text;
  bool is_too_long = false;
  bool is_out_of_memory = false;
};

size_t OnBody(char* bytes, size_t size, size_t count, void* to) {
  auto* const body = static_cast<Body*>(to);
  body->is_too_long = size * count > kMaxAnswer - body->text.size();
  if (body->is_too_long) return 0;
  try {
    body->text.append(bytes, size * count);
    return size * count;
  } catch (const std::bad_alloc&) {
    body->is_out_of_memory = true;
    return 0;
  }
}

bool IsWorthAnotherTry(CURLcode code, long status) {
  if (code != CURLE_OK) return MayPass(code);
  return status == 408 || status == 429 || status >= 500;
}

Result<SmallAnswer> AskOnce(CURL* easy, const SmallRequest& request, bool* may_pass) {
  ::curl_easy_reset(easy);
  CurlLines lines;
  for (const std::string& header : request.headers) {
    if (!AddLine(header, &lines)) return OutOfMemory();
  }
  const AwsKeys* const keys = request.signed_by;
  if (keys != nullptr && !keys->session_token.empty() &&
      !AddLine("x-amz-security-token: " + keys->session_token, &lines)) {
    return OutOfMemory();
  }
  Body body;
  std::array<char, CURL_ERROR_SIZE> error{};
  CurlSetter set(easy);
  SetConnectionOptions(request.connect_timeout_s, request.ca_file, &set);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_HTTPHEADER, lines.get());
  set(CURLOPT_TIMEOUT_MS, Milliseconds(request.timeout_s));
  set(CURLOPT_ERRORBUFFER, error.data());
  set(CURLOPT_WRITEFUNCTION, &OnBody);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&body));
  const std::string who = "aws:amz:" + request.signed_for;
  if (keys != nullptr) {
    set(CURLOPT_AWS_SIGV4, who.c_str());
    set(CURLOPT_USERNAME, keys->access_key_id.c_str());
    set(CURLOPT_PASSWORD, keys->secret_access_key.c_str());
  }
  if (request.is_direct) set(CURLOPT_NOPROXY, "*");
  if (request.method == "POST") {
    set(CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.c_str());
  } else if (request.method != "GET") {
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  CURLcode code = set.code();
  if (code == CURLE_OK) code = ::curl_easy_perform(easy);
  if (body.is_out_of_memory || code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  long status = 0;
  if (code == CURLE_OK) (void)::curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  *may_pass = IsWorthAnotherTry(code, status);
  SmallAnswer answer{.status = static_cast<int>(status), .body = {}, .error = {}};
  if (body.is_too_long) {
    answer.error = fmt::format("more than {} bytes came", kMaxAnswer);
  } else if (code != CURLE_OK) {
    answer.error = error[0] != 0 ? error.data() : ::curl_easy_strerror(code);
  } else if (status != 200) {
    answer.error = fmt::format("answered {}", status);
    const std::string said = ErrorInXml(body.text);
    const bool shows_secret =
        !request.secret.empty() && body.text.find(request.secret) != std::string::npos;
    if (!said.empty() && !shows_secret) answer.error += " (" + said + ")";
  } else {
    answer.body = std::move(body.text);
  }
  return answer;
}

}  // namespace

Result<SmallAnswer> Ask(const SmallRequest& request) {
  const CurlEasy easy = StartCurl() ? CurlEasy(::curl_easy_init()) : CurlEasy();
  if (easy == nullptr) return Error(StatusCode::kIo, "libcurl cannot be used");
  for (uint32_t tries = 1;; ++tries) {
    bool may_pass = false;
    auto answer = AskOnce(easy.get(), request, &may_pass);
    if (!answer.ok() || !may_pass || tries >= request.max_tries) return answer;
    std::this_thread::sleep_for(
        std::chrono::duration<double>(WaitSeconds(tries, std::nullopt, 0.5)));
  }
}

}  // namespace dsi::internal
