#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/aws/key_sources_internal.h"
#include "dsi/io/aws/small_request_internal.h"
#include "dsi/io/environment_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/io/url_parts_internal.h"

namespace dsi::internal {
namespace {

constexpr const char* kDisabled = "AWS_EC2_METADATA_DISABLED";
constexpr const char* kEndpoint = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
constexpr const char* kMode = "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE";
constexpr std::string_view kRoles = "/latest/meta-data/iam/security-credentials/";
// A machine that is none of EC2's waits no longer.
constexpr double kConnectTimeout = 1;
constexpr double kTokenTimeout = 2;
constexpr double kTimeout = 5;
constexpr size_t kMaxName = 256;

Result<std::string> Endpoint() {
  std::string endpoint = Environment(kEndpoint);
  if (endpoint.empty()) {
    std::string mode = Environment(kMode);
    for (char& c : mode) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return std::string(mode == "ipv6" ? "http://[fd00:ec2::254]" : "http://169.254.169.254");
  }
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const auto parsed = ParseUrl(endpoint);
  if (parsed && parsed->is_http()) return endpoint;
  return InvalidArgument("{}: {} is no URL of http or https", kEndpoint, WithoutSecrets(endpoint));
}

// A text that may stand in a header and in a path.
bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

SmallRequest RequestOf(const std::string& url, const std::string& token) {
  SmallRequest request{.url = url, .headers = {"X-aws-ec2-metadata-token: " + token}};
  request.connect_timeout_s = kConnectTimeout;
  request.timeout_s = kTimeout;
  request.is_direct = true;
  request.secret = token;
  return request;
}

Status Refused(const std::string& source, const SmallAnswer& answer) {
  return Error(StatusCode::kIo, "{}: {}", source, answer.error);
}

}  // namespace

Result<std::optional<AwsKeys>> KeysOfMachine() {
  const std::optional<AwsKeys> none;
  if (IsSwitchedOn(kDisabled)) return none;
  DSI_ASSIGN_OR_RETURN(const std::string endpoint, Endpoint());
  const std::string source = "the machine's metadata at " + WithoutSecrets(endpoint);
  SmallRequest request{.url = endpoint + "/latest/api/token", .method = "PUT"};
  request.headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"};
  request.connect_timeout_s = kConnectTimeout;
  request.timeout_s = kTokenTimeout;
  request.max_tries = 1;
  request.is_direct = true;
  DSI_ASSIGN_OR_RETURN(SmallAnswer answer, Ask(request));
  if (answer.status == 429 || answer.status >= 500) {
    request.max_tries = 3;
    DSI_ASSIGN_OR_RETURN(answer, Ask(request));
    if (answer.status != 200) return Refused(source, answer);
  }
  // Nobody there, or the metadata of somebody else's machines.
  if (answer.status != 200 || !IsName(answer.body)) return none;
  const std::string token = answer.body;
  const std::string roles = endpoint + std::string(kRoles);
  DSI_ASSIGN_OR_RETURN(answer, Ask(RequestOf(roles, token)));
  if (answer.status == 404) return none;  // It has no role.
  if (answer.status != 200) return Refused(source, answer);
  const std::string role = answer.body.substr(0, answer.body.find_first_of("\r\n"));
  if (role.empty()) return none;
  if (!IsName(role)) return Error(StatusCode::kIo, "{}: answered no name of a role", source);
  DSI_ASSIGN_OR_RETURN(answer, Ask(RequestOf(roles + EscapeValue(role), token)));
  if (answer.status != 200) return Refused(source, answer);
  DSI_ASSIGN_OR_RETURN(AwsKeys keys, ReadKeysJson(answer.body, source));
  return std::optional<AwsKeys>(std::move(keys));
}

}  // namespace dsi::internal
