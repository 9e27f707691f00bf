#include <unistd.h>

#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/io/aws/key_sources_internal.h"
#include "dsi/io/aws/small_request_internal.h"
#include "dsi/io/remote_target_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/io/url_parts_internal.h"
#include "dsi/io/xml_walk_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxTokenBytes = 20'000;  // What STS takes.

Result<std::string> ReadToken(const WebIdentity& identity) {
  auto token = ReadTextFile(identity.token_file, kMaxTokenBytes);
  if (!token.ok()) return token.status();
  const size_t end = token->find_last_not_of(" \t\r\n");
  token->resize(end == std::string::npos ? 0 : end + 1);
  if (token->empty() || token->size() > kMaxTokenBytes) {
    return InvalidArgument("{}: {} bytes; a token has 1 to {}", identity.token_file, token->size(),
                           kMaxTokenBytes);
  }
  return token;
}

Result<std::string> UrlOfSts(const WebIdentity& identity) {
  if (!identity.endpoint.empty()) {
    const auto parsed = ParseUrl(identity.endpoint);
    if (parsed && parsed->is_http()) return identity.endpoint;
    return InvalidArgument("the endpoint {} of STS is no URL of http or https",
                           WithoutSecrets(identity.endpoint));
  }
  if (identity.region.empty()) return std::string("https://sts.amazonaws.com/");
  if (!IsRegion(identity.region)) return InvalidArgument("\"{}\" is no region", identity.region);
  const std::string_view china = identity.region.starts_with("cn-") ? ".cn" : "";
  return fmt::format("https://sts.{}.amazonaws.com{}/", identity.region, china);
}

Result<AwsKeys> ReadAnswer(std::string_view xml, const std::string& source) {
  AwsKeys keys{.source = source};
  std::string expires;
  const Status status = WalkXml(xml, [&](std::string_view path, const std::string& text) -> Status {
    constexpr std::string_view kCredentials =
        "AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult/Credentials/";
    if (!path.starts_with(kCredentials)) return {};
    path.remove_prefix(kCredentials.size());
    if (path == "AccessKeyId") keys.access_key_id = text;
    if (path == "SecretAccessKey") keys.secret_access_key = text;
    if (path == "SessionToken") keys.session_token = text;
    if (path == "Expiration") expires = text;
    return {};
  });
  if (!status.ok()) return status.At(source);
  DSI_RETURN_IF_ERROR(ReadExpiry(expires, &keys));
  DSI_RETURN_IF_ERROR(CheckKeys(keys));
  return keys;
}

}  // namespace

// The token is read anew each time: it is replaced before it is over.
Result<AwsKeys> KeysOfWebIdentity(const WebIdentity& identity) {
  const std::string source = fmt::format("web identity (role {})", identity.role_arn);
  const auto token = ReadToken(identity);
  if (!token.ok()) return token.status().At(source);
  const auto url = UrlOfSts(identity);
  if (!url.ok()) return url.status().At(source);
  const std::string name =
      identity.session_name.empty() ? fmt::format("dsi-{}", ::getpid()) : identity.session_name;
  SmallRequest request{.url = *url, .method = "POST"};
  request.body = fmt::format(
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn={}&RoleSessionName={}"
      "&WebIdentityToken={}",
      EscapeValue(identity.role_arn), EscapeValue(name), EscapeValue(*token));
  request.ca_file = identity.ca_file;
  request.secret = *token;
  DSI_ASSIGN_OR_RETURN(const SmallAnswer answer, Ask(request));
  if (answer.status != 200) {
    return Error(StatusCode::kIo, "{}: STS at {}: {}", source, WithoutSecrets(*url), answer.error);
  }
  return ReadAnswer(answer.body, source);
}

}  // namespace dsi::internal
