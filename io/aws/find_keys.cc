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

MaybeKeys KeysOfEnvironmentIdentity(AwsRole role) {
  const std::string token_file = Environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (token_file.empty()) return std::optional<AwsKeys>();
  role.arn = Environment("AWS_ROLE_ARN");
  role.session_name = Environment("AWS_ROLE_SESSION_NAME");
  if (role.arn.empty()) {
    return InvalidArgument(
        "AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN, which says for what, is not");
  }
  return Found(KeysOfWebIdentity(role, token_file));
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
  // A profile that the program asks for by name comes before what the environment says.
  if (s3.profile.empty()) {
    MaybeKeys keys = KeysOfEnvironment(s3);
    if (!keys.ok() || *keys) return keys;
    keys = KeysOfEnvironmentIdentity(RoleOf(profile, s3, ca_file));
    if (!keys.ok() || *keys) return keys;
  }
  MaybeKeys keys = KeysOfProfile(profile, s3, ca_file);
  if (!keys.ok() || *keys) return keys;
  keys = KeysOfContainer(ca_file);
  if (!keys.ok() || *keys) return keys;
  return KeysOfMachine();
}

}  // namespace

MaybeKeys KeysOfEnvironment(const S3Options& s3) {
  AwsKeys keys{.access_key_id = Environment("AWS_ACCESS_KEY_ID"),
               .secret_access_key = Environment("AWS_SECRET_ACCESS_KEY"),
               .session_token = FirstOf(s3.session_token, "AWS_SESSION_TOKEN"),
               .source = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"};
  if (keys.access_key_id.empty() && keys.secret_access_key.empty()) return std::optional<AwsKeys>();
  return Checked(std::move(keys));
}

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
