// One GET for a range, on a handle of libcurl that is used again. Its body goes straight to where
// the range is wanted, once the head of the answer has been judged.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/io/http_judge_internal.h"
#include "dsi/io/remote_target_internal.h"

namespace dsi::internal {

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

// Whether a request there is signed: it has keys, and goes where they may be shown.
bool MaySign(const RemoteTarget& target, const RemotePlace& place);

// Where a request goes, who asks and how patiently; the same whatever is asked for.
void SetCommonOptions(const RemoteTarget& target, const RemotePlace& place, CurlSetter* setter);

// Memory in several parts, filled from the first to the last.
class ScatteredBytes {
 public:
  ScatteredBytes() = default;
  // The parts outlive it; the first `done` bytes are filled already.
  ScatteredBytes(std::span<const std::span<std::byte>> parts, uint64_t done);
  // Takes no more than there is room for.
  void Fill(std::string_view bytes);

 private:
  void Skip(uint64_t size);

  std::span<const std::span<std::byte>> parts_;
  size_t done_ = 0;  // Of the first of them.
};

class CurlRequest {
 public:
  CurlRequest();

  // Null: no memory.
  CURL* easy() const { return easy_.get(); }

  // Makes the handle ask for a range, whose bytes go to `dst`, which has room for them. The target
  // outlives the request.
  Status Prepare(const RemoteTarget& target, const RemotePlace& place, const RangeAsked& asked,
                 ScatteredBytes dst, double timeout_s);

  // After it was performed.
  const HttpAnswer& answer() const { return answer_; }
  // Null: the head of the answer did not arrive.
  const Judgement* judgement() const { return has_head_ ? &judgement_ : nullptr; }
  // Bytes of the body that went to `dst`.
  uint64_t received() const { return received_; }
  bool has_too_much() const { return has_too_much_; }
  bool is_out_of_memory() const { return is_out_of_memory_; }
  // What the body of an error says of it.
  std::string ErrorInBody() const { return ErrorInXml(error_body_); }
  // What libcurl says of an error.
  std::string ErrorOf(CURLcode code) const;
  // Empty: not redirected.
  std::string RedirectUrl() const;

 private:
  static size_t OnHeader(char* line, size_t size, size_t count, void* request);
  static size_t OnBody(char* bytes, size_t size, size_t count, void* request);
  bool TakeLine(std::string_view line);
  bool TakeBytes(std::string_view bytes);
  bool AddHeader(const std::string& line);
  Status AddHeaders(const RemoteTarget& target, const RemotePlace& place, const RangeAsked& asked);

  struct FreeEasy {
    void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
  };
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  RangeAsked asked_;
  ScatteredBytes dst_;
  HttpAnswer answer_;
  Judgement judgement_;
  bool has_head_ = false;
  uint64_t received_ = 0;
  bool has_too_much_ = false;
  bool is_out_of_memory_ = false;
  std::string error_body_;
  size_t error_bytes_ = 0;
};

}  // namespace dsi::internal
