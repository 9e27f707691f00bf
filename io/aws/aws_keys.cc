#include "dsi/io/aws/aws_keys_internal.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/iso_time_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxKeyBytes = 1 << 10;
constexpr size_t kMaxTokenBytes = 32 << 10;
// Of the year 2262: what nanoseconds in 64 bits hold.
constexpr int64_t kLastSecond = 9'223'372'035;

// What a header can hold without being cut or going on as another one.
bool IsPlain(std::string_view text, size_t max_bytes) {
  return text.size() <= max_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// Empty where it is missing.
Status GetText(const simdjson::dom::object& object, const char* name, std::string* out,
               const std::string& source) {
  simdjson::dom::element value;
  if (object.at_key(name).get(value) != simdjson::SUCCESS || value.is_null()) return {};
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS)
    return Error(StatusCode::kIo, "{}: \"{}\" is no string", source, name);
  out->assign(text);
  return {};
}

}  // namespace

Status CheckKeys(const AwsKeys& keys) {
  if (keys.access_key_id.empty() || keys.secret_access_key.empty()) {
    return InvalidArgument("{}: of access key id and secret access key {} is missing", keys.source,
                           keys.access_key_id.empty() ? "the first" : "the second");
  }
  if (!IsPlain(keys.access_key_id, kMaxKeyBytes) ||
      !IsPlain(keys.secret_access_key, kMaxKeyBytes) ||
      !IsPlain(keys.session_token, kMaxTokenBytes)) {
    return InvalidArgument(
        "{}: an access key, its secret or its token is too long or has bytes "
        "that no key has",
        keys.source);
  }
  return {};
}

Status ReadExpiry(std::string_view text, AwsKeys* keys) {
  IsoTime time;
  if (!ParseIsoTime(text, &time) || time.seconds < -kLastSecond || time.seconds > kLastSecond) {
    return Error(StatusCode::kIo, "{}: the time at which the keys end is malformed", keys->source);
  }
  keys->expires = std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(time.seconds) + std::chrono::nanoseconds(time.nanos)));
  return {};
}

Result<AwsKeys> ReadKeysJson(std::string_view json, std::string source) {
  AwsKeys keys{.source = std::move(source)};
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (json.empty()) json = "";  // Not null.
  const simdjson::error_code code = parser.parse(json.data(), json.size(), true).get(root);
  if (code == simdjson::MEMALLOC) return OutOfMemory();
  if (code != simdjson::SUCCESS) {
    return Error(StatusCode::kIo, "{}: answered malformed JSON (byte {})", keys.source,
                 FindJsonFault(json).offset);
  }
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS)
    return Error(StatusCode::kIo, "{}: answered JSON that is no object", keys.source);
  std::string said;
  DSI_RETURN_IF_ERROR(GetText(object, "Code", &said, keys.source));
  if (!said.empty() && said != "Success") {
    return Error(StatusCode::kIo, "{}: answered {} in the place of keys", keys.source,
                 QuoteForMessage(said));
  }
  DSI_RETURN_IF_ERROR(GetText(object, "AccessKeyId", &keys.access_key_id, keys.source));
  DSI_RETURN_IF_ERROR(GetText(object, "SecretAccessKey", &keys.secret_access_key, keys.source));
  DSI_RETURN_IF_ERROR(GetText(object, "Token", &keys.session_token, keys.source));
  if (keys.session_token.empty())
    DSI_RETURN_IF_ERROR(GetText(object, "SessionToken", &keys.session_token, keys.source));
  std::string expires;
  DSI_RETURN_IF_ERROR(GetText(object, "Expiration", &expires, keys.source));
  if (!expires.empty()) DSI_RETURN_IF_ERROR(ReadExpiry(expires, &keys));
  DSI_RETURN_IF_ERROR(CheckKeys(keys));
  return keys;
}

}  // namespace dsi::internal
