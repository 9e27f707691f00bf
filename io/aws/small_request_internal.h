// One short question to a service, and its answer: how keys are asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/aws/aws_keys_internal.h"

namespace dsi::internal {

struct SmallRequest {
  std::string url = {};
  std::string method = "GET";
  std::vector<std::string> headers = {};  // "Name: value", without ends of lines.
  std::string body = {};                  // Sent by POST.
  double connect_timeout_s = 10;
  double timeout_s = 30;
  // Requests, when it is not reached or answers 408, 429 or 5xx.
  uint32_t max_tries = 3;
  bool is_direct = false;  // No proxy stands between.
  std::string ca_file = {};
  // Null: it is not signed. Outlives it.
  const AwsKeys* signed_by = nullptr;
  std::string signed_for = {};  // "eu-west-1:sts"
  // Of an answer with this in it nothing is shown.
  std::string secret = {};
};

struct SmallAnswer {
  int status = 0;     // 0: not reached, or more than 64 KiB came.
  std::string body;   // Of 200.
  std::string error;  // Else: what was wrong.
};

// Redirections are not followed. Waits up to max_tries · timeout_s and a second. kIo: libcurl
// cannot be used.
Result<SmallAnswer> Ask(const SmallRequest& request);

}  // namespace dsi::internal
