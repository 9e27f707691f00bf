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

Result<std::string> ReadToken(const std::string& path) {
  auto token = ReadTextFile(path, kMaxTokenBytes);
  if (!token.ok()) return token.status();
  const size_t end = token->find_last_not_of(" \t\r\n");
  token->resize(end == std::string::npos ? 0 : end + 1);
  if (token->empty() || token->size() > kMaxTokenBytes) {
    return InvalidArgument("{}: {} bytes; a token has 1 to {}", path, token->size(),
                           kMaxTokenBytes);
  }
  return token;
}

Result<std::string> UrlOfSts(const AwsRole& role) {
  if (!role.endpoint.empty()) {
    const auto parsed = ParseUrl(role.endpoint);
    if (parsed && parsed->is_http()) return role.endpoint;
    return InvalidArgument("the endpoint {} of STS is no URL of http or https",
                           WithoutSecrets(role.endpoint));
  }
  if (role.region.empty()) return std::string("https://sts.amazonaws.com/");
  if (!IsRegion(role.region)) return InvalidArgument("\"{}\" is no region", role.region);
  const std::string_view china = role.region.starts_with("cn-") ? ".cn" : "";
  return fmt::format("https://sts.{}.amazonaws.com{}/", role.region, china);
}

Result<AwsKeys> ReadAnswer(std::string_view xml, std::string_view action,
                           const std::string& source) {
  AwsKeys keys{.source = source};
  std::string expires;
  const std::string credentials = fmt::format("{0}Response/{0}Result/Credentials/", action);
  const Status status = WalkXml(xml, [&](std::string_view path, const std::string& text) -> Status {
    if (!path.starts_with(credentials)) return {};
    path.remove_prefix(credentials.size());
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

// `more` is the rest of the form.
Result<AwsKeys> AskSts(const AwsRole& role, std::string_view action, const std::string& more,
                       const std::string& source, SmallRequest request) {
  const auto url = UrlOfSts(role);
  if (!url.ok()) return url.status().At(source);
  const std::string name =
      role.session_name.empty() ? fmt::format("dsi-{}", ::getpid()) : role.session_name;
  request.url = *url;
  request.method = "POST";
  request.ca_file = role.ca_file;
  request.body = fmt::format("Action={}&Version=2011-06-15&RoleArn={}&RoleSessionName={}{}", action,
                             EscapeValue(role.arn), EscapeValue(name), more);
  if (!role.duration_seconds.empty())
    request.body += "&DurationSeconds=" + EscapeValue(role.duration_seconds);
  DSI_ASSIGN_OR_RETURN(const SmallAnswer answer, Ask(request));
  if (answer.status != 200) {
    return Error(StatusCode::kIo, "{}: STS at {}: {}", source, WithoutSecrets(*url), answer.error);
  }
  return ReadAnswer(answer.body, action, source);
}

}  // namespace

// The token is read anew each time: it is replaced before it is over.
Result<AwsKeys> KeysOfWebIdentity(const AwsRole& role, const std::string& token_file) {
  const std::string source = fmt::format("web identity (role {})", role.arn);
  const auto token = ReadToken(token_file);
  if (!token.ok()) return token.status().At(source);
  SmallRequest request;
  request.secret = *token;
  return AskSts(role, "AssumeRoleWithWebIdentity", "&WebIdentityToken=" + EscapeValue(*token),
                source, std::move(request));
}

Result<AwsKeys> KeysOfRole(const AwsRole& role, const AwsKeys& asker) {
  const std::string source = fmt::format("role {}, asked for by {}", role.arn, asker.source);
  SmallRequest request;
  request.secret = asker.session_token;
  request.signed_by = &asker;
  request.signed_for = fmt::format("{}:sts", role.region.empty() ? "us-east-1" : role.region);
  const std::string more =
      role.external_id.empty() ? "" : "&ExternalId=" + EscapeValue(role.external_id);
  return AskSts(role, "AssumeRole", more, source, std::move(request));
}

}  // namespace dsi::internal
