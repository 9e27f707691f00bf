// One request that changes an object of S3, on a handle of libcurl that is used again.
#pragma once

#include <curl/curl.h>

#include <array>
#include <string>

#include "dsi/base/status.h"
#include "dsi/io/curl_handles_internal.h"
#include "dsi/io/curl_request_internal.h"
#include "dsi/io/s3_sender_internal.h"

namespace dsi::internal {

class S3Exchange {
 public:
  S3Exchange() : easy_(::curl_easy_init()) {}
  S3Exchange(const S3Exchange&) = delete;
  S3Exchange& operator=(const S3Exchange&) = delete;

  // Null: no memory.
  CURL* easy() const { return easy_.get(); }

  // All of them outlive it.
  Status Prepare(const RemoteTarget& target, const RemotePlace& place, S3Request* request);

  // After it was performed: what the file failed with that is sent, what libcurl says of an error,
  // and the keys that signed it.
  const Status& failure() const { return failure_; }
  std::string ErrorOf(CURLcode code) const;
  bool is_out_of_memory() const { return is_out_of_memory_; }
  const AwsKeys* keys() const { return keys_; }

 private:
  static size_t OnRead(char* dst, size_t size, size_t count, void* exchange);
  static int OnSeek(void* exchange, curl_off_t offset, int origin);
  static size_t OnHead(char* line, size_t size, size_t count, void* exchange);
  static size_t OnAnswer(char* bytes, size_t size, size_t count, void* exchange);
  void SetBody(CurlSetter* setter);
  uint64_t body_size() const {
    return request_->file != nullptr ? request_->size : request_->text.size();
  }

  CurlEasy easy_;
  CurlLines lines_;
  const AwsKeys* keys_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_{};
  S3Request* request_ = nullptr;
  uint64_t sent_ = 0;
  Status failure_;
  bool is_out_of_memory_ = false;
};

}  // namespace dsi::internal
