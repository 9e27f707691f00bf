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
#include "dsi/io/aws/s3_credentials_internal.h"
#include "dsi/io/curl_handles_internal.h"
#include "dsi/io/http_judge_internal.h"
#include "dsi/io/remote_target_internal.h"

namespace dsi::internal {

// What a request there is signed with, found or renewed if need be. Null: it is not signed, for
// there are no keys, or it goes where they may not be shown. They live as long as the target.
Result<const AwsKeys*> KeysFor(const RemoteTarget& target, const RemotePlace& place);

// Where a request goes, who asks and how patiently; the same whatever is asked for.
void SetCommonOptions(const RemoteTarget& target, const RemotePlace& place, const AwsKeys* keys,
                      CurlSetter* setter);

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
  // What it was signed with.
  const AwsKeys* keys() const { return keys_; }

 private:
  static size_t OnHeader(char* line, size_t size, size_t count, void* request);
  static size_t OnBody(char* bytes, size_t size, size_t count, void* request);
  bool TakeLine(std::string_view line);
  bool TakeBytes(std::string_view bytes);
  Status AddHeaders(const RemoteTarget& target, const RemotePlace& place, const RangeAsked& asked);

  CurlEasy easy_;
  CurlLines headers_;
  const AwsKeys* keys_ = nullptr;
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
