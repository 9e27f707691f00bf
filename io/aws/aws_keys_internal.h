// What a request to AWS is signed with.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "dsi/base/status.h"

namespace dsi::internal {

struct AwsKeys {
  std::string access_key_id = {};
  std::string secret_access_key = {};
  std::string session_token = {};  // Empty: none.
  // Nothing: they do not end.
  std::optional<std::chrono::system_clock::time_point> expires = {};
  // Where they are from, for messages: "profile train".
  std::string source = {};

  // Whether they are the same, wherever they are from.
  bool IsSame(const AwsKeys& other) const {
    return access_key_id == other.access_key_id && secret_access_key == other.secret_access_key &&
           session_token == other.session_token;
  }
};

// One that is missing, or that no header can hold, is an error, which names the source and shows
// nothing of the keys.
Status CheckKeys(const AwsKeys& keys);

// An end that is no time, or beyond what clocks tell, is kIo.
Status ReadExpiry(std::string_view text, AwsKeys* keys);

// From the JSON that programs, containers and machines answer with: AccessKeyId, SecretAccessKey,
// Token or SessionToken, Expiration; other members are passed over, but a Code is "Success". kIo:
// no such JSON; the message shows nothing of it.
Result<AwsKeys> ReadKeysJson(std::string_view json, std::string source);

}  // namespace dsi::internal
