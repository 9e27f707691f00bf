#include <algorithm>
#include <array>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/io/aws/key_sources_internal.h"
#include "dsi/io/aws/small_request_internal.h"
#include "dsi/io/environment_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/io/url_parts_internal.h"

namespace dsi::internal {
namespace {

constexpr const char* kRelative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr const char* kFull = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr const char* kTokenFile = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
constexpr const char* kToken = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
constexpr size_t kMaxTokenBytes = 32 << 10;
// Of ECS and of EKS.
constexpr std::array<std::string_view, 3> kHosts = {"169.254.170.2", "169.254.170.23",
                                                    "[fd00:ec2::23]"};

// Whether it may be told what is secret, without encryption.
bool IsAllowedHost(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  const bool is_address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  if (is_address && host.starts_with("127.")) return true;
  return std::find(kHosts.begin(), kHosts.end(), host) != kHosts.end();
}

// Empty: none is named.
Result<std::string> UrlOfContainer() {
  const std::string relative = Environment(kRelative);
  if (!relative.empty()) {
    // "@host/" would be another host.
    if (!relative.starts_with('/')) return InvalidArgument("{} does not begin with /", kRelative);
    return "http://169.254.170.2" + EscapeUrl(relative);
  }
  const std::string full = EscapeUrl(Environment(kFull));
  if (full.empty()) return full;
  const auto parsed = ParseUrl(full);
  if (!parsed || !parsed->is_http()) {
    return InvalidArgument("{} is no URL of http or https", kFull);
  }
  if (parsed->scheme == "http" && !IsAllowedHost(parsed->host)) {
    return InvalidArgument(
        "{}: http to {}: keys are asked for by https, or of this machine, 169.254.170.2, "
        "169.254.170.23 and [fd00:ec2::23]",
        kFull, QuoteForMessage(parsed->host));
  }
  return full;
}

Result<std::string> AuthorizationToken() {
  std::string token = Environment(kToken);
  if (const std::string path = Environment(kTokenFile); !path.empty()) {
    auto text = ReadTextFile(path, kMaxTokenBytes);
    if (!text.ok()) return text.status().At(kTokenFile);
    token = *std::move(text);
    while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
  }
  const bool is_line =
      std::all_of(token.begin(), token.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!is_line || token.size() > kMaxTokenBytes) {
    return InvalidArgument("{} or {}: a token is one line of at most {} bytes", kTokenFile, kToken,
                           kMaxTokenBytes);
  }
  return token;
}

}  // namespace

Result<std::optional<AwsKeys>> KeysOfContainer(const std::string& ca_file) {
  DSI_ASSIGN_OR_RETURN(const std::string url, UrlOfContainer());
  if (url.empty()) return std::optional<AwsKeys>();
  DSI_ASSIGN_OR_RETURN(const std::string token, AuthorizationToken());
  // Its path may be as good as a password.
  const bool is_full = Environment(kRelative).empty();
  const std::string source = fmt::format("the container ({})", is_full ? kFull : kRelative);
  SmallRequest request{.url = url};
  if (!token.empty()) request.headers.push_back("Authorization: " + token);
  request.connect_timeout_s = 2;
  request.timeout_s = 10;
  request.is_direct = true;
  request.ca_file = ca_file;
  request.secret = token;
  DSI_ASSIGN_OR_RETURN(const SmallAnswer answer, Ask(request));
  if (answer.status != 200) return Error(StatusCode::kIo, "{}: {}", source, answer.error);
  DSI_ASSIGN_OR_RETURN(AwsKeys keys, ReadKeysJson(answer.body, source));
  return std::optional<AwsKeys>(std::move(keys));
}

}  // namespace dsi::internal
