// The order in which keys are looked for (docs/remote.md): what is said by the program, by the
// environment, by files, by the container, by the machine. The first source that is there is
// asked; where it fails, that is an error, and no other is taken in its place.
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/aws/key_sources_internal.h"
#include "dsi/io/aws/s3_credentials_internal.h"
#include "dsi/io/environment_internal.h"

namespace dsi::internal {
namespace {

constexpr const char* kNoSigning = "AWS_NO_SIGN_REQUEST";

using MaybeKeys = Result<std::optional<AwsKeys>>;

MaybeKeys Checked(AwsKeys keys) {
  DSI_RETURN_IF_ERROR(CheckKeys(keys));
  return std::optional<AwsKeys>(std::move(keys));
}

MaybeKeys Found(Result<AwsKeys> keys) {
  if (!keys.ok()) return keys.status();
  return std::optional<AwsKeys>(*std::move(keys));
}

MaybeKeys KeysOfEnvironment(const S3Options& s3) {
  AwsKeys keys{.access_key_id = Environment("AWS_ACCESS_KEY_ID"),
               .secret_access_key = Environment("AWS_SECRET_ACCESS_KEY"),
               .session_token = FirstOf(s3.session_token, "AWS_SESSION_TOKEN"),
               .source = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"};
  if (keys.access_key_id.empty() && keys.secret_access_key.empty()) return std::optional<AwsKeys>();
  return Checked(std::move(keys));
}

WebIdentity IdentityOf(const AwsProfile& profile, const S3Options& s3, const std::string& ca_file) {
  WebIdentity identity{.region = FirstOf(s3.region, "AWS_REGION", "AWS_DEFAULT_REGION"),
                       .endpoint = FirstOf({}, "AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"),
                       .ca_file = ca_file};
  if (identity.region.empty()) identity.region = profile.Get("region");
  if (identity.endpoint.empty()) identity.endpoint = profile.EndpointOf("sts");
  return identity;
}

MaybeKeys KeysOfEnvironmentIdentity(WebIdentity identity) {
  identity.token_file = Environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (identity.token_file.empty()) return std::optional<AwsKeys>();
  identity.role_arn = Environment("AWS_ROLE_ARN");
  identity.session_name = Environment("AWS_ROLE_SESSION_NAME");
  if (identity.role_arn.empty()) {
    return InvalidArgument(
        "AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN, which says for what, is not");
  }
  return Found(KeysOfWebIdentity(identity));
}

// What a profile may name and is not spoken here.
Status CheckSupported(const AwsProfile& profile) {
  const bool is_sso = !profile.Get("sso_session").empty() || !profile.Get("sso_start_url").empty();
  const bool is_role =
      !profile.Get("role_arn").empty() && profile.Get("web_identity_token_file").empty();
  if (!is_sso && !is_role) return {};
  return Error(StatusCode::kUnsupported,
               "{}: {} not spoken here; let the AWS CLI do it: a profile with "
               "credential_process = aws configure export-credentials --profile {}",
               profile.shown(), is_sso ? "single sign-on is" : "role_arn with other keys is",
               profile.name());
}

MaybeKeys KeysOfProfile(const AwsProfile& profile, WebIdentity identity) {
  AwsKeys keys{.access_key_id = profile.Get("aws_access_key_id"),
               .secret_access_key = profile.Get("aws_secret_access_key"),
               .session_token = profile.Get("aws_session_token"),
               .source = profile.shown()};
  identity.token_file = profile.Get("web_identity_token_file");
  identity.role_arn = profile.Get("role_arn");
  identity.session_name = profile.Get("role_session_name");
  if (!identity.token_file.empty() && !identity.role_arn.empty())
    return Found(KeysOfWebIdentity(identity));
  DSI_RETURN_IF_ERROR(CheckSupported(profile));
  if (!keys.access_key_id.empty() || !keys.secret_access_key.empty())
    return Checked(std::move(keys));
  const std::string command = profile.Get("credential_process");
  if (!command.empty())
    return Found(KeysOfProcess(command, profile.shown() + " (credential_process)"));
  return std::optional<AwsKeys>();
}

MaybeKeys FindKeys(const S3Options& s3, const std::string& ca_file) {
  if (!s3.access_key_id.empty() || !s3.secret_access_key.empty()) {
    return Checked({.access_key_id = s3.access_key_id,
                    .secret_access_key = s3.secret_access_key,
                    .session_token = s3.session_token,
                    .source = "S3Options"});
  }
  if (s3.no_sign_request || IsSwitchedOn(kNoSigning)) return std::optional<AwsKeys>();
  DSI_ASSIGN_OR_RETURN(const AwsProfile profile, AwsProfile::Load(s3.profile));
  const WebIdentity identity = IdentityOf(profile, s3, ca_file);
  // A profile that the program asks for by name comes before what the environment says.
  if (s3.profile.empty()) {
    MaybeKeys keys = KeysOfEnvironment(s3);
    if (!keys.ok() || *keys) return keys;
    keys = KeysOfEnvironmentIdentity(identity);
    if (!keys.ok() || *keys) return keys;
  }
  MaybeKeys keys = KeysOfProfile(profile, identity);
  if (!keys.ok() || *keys) return keys;
  keys = KeysOfContainer(ca_file);
  if (!keys.ok() || *keys) return keys;
  return KeysOfMachine();
}

}  // namespace

std::shared_ptr<S3Credentials> MakeS3Credentials(const S3Options& options,
                                                 const std::string& ca_file) {
  S3Options copy = options;
  copy.credentials = nullptr;  // Else it would keep itself.
  return std::make_shared<S3Credentials>(
      [copy = std::move(copy), ca_file] { return FindKeys(copy, ca_file); }, options.profile);
}

std::string WhoAsked(const AwsKeys* keys) {
  if (keys != nullptr) return fmt::format("; signed with the keys of {}", keys->source);
  return "; not signed, for no keys were found or wanted (docs/remote.md)";
}

bool IsAboutExpiry(std::string_view error) {
  return error.starts_with("ExpiredToken") || error.starts_with("TokenRefreshRequired") ||
         error.starts_with("RequestExpired");
}

}  // namespace dsi::internal
