// Requests that change objects of S3, several in flight, tried again as reading is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/io/http_answer_internal.h"
#include "dsi/io/open.h"

namespace dsi::internal {

struct S3Request {
  std::string_view doing = {};   // For messages: "writing".
  std::string_view method = {};  // PUT, POST, HEAD or DELETE.
  std::string query = {};        // Without "?"; sorted and escaped as it is signed.
  bool only_if_new = false;      // If-None-Match: *
  // Who cancels waits for its answer: it says what else there is to do.
  bool must_be_answered = false;
  std::string_view text = {};  // What is sent; or of `file`, which outlives it, `size` at `offset`.
  const RandomAccessFile* file = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;

  // What came of it.
  uint32_t tries = 0;
  HttpAnswer head = {};
  std::string body = {};  // At most 64 KiB.
};

// False: no more is wanted. May be empty.
using GoOn = std::function<bool()>;

// Thread safety: one thread at a time. Keeps its connections from one call to the next, and is used
// in the process that made it.
class S3Sender {
 public:
  static Result<std::unique_ptr<S3Sender>> Make(const OpenOptions& options);
  ~S3Sender();
  S3Sender(const S3Sender&) = delete;
  S3Sender& operator=(const S3Sender&) = delete;

  // Sends all that concern one object, at most `parallel` at once, and returns the first error,
  // with which all that are in flight are given up: kAlreadyExists (412), kNotFound (404; to delete
  // what is not there is fine), kIo, kCancelled. `url` is s3://bucket/key.
  Status Send(const std::string& url, std::span<S3Request> requests, uint32_t parallel = 1,
              const GoOn& go_on = {});

 private:
  class Impl;
  explicit S3Sender(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsi::internal
