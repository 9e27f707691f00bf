#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/io/aws/key_sources_internal.h"
#include "dsi/io/environment_internal.h"

namespace dsi::internal {
namespace {

constexpr int kMostRoles = 8;

MaybeKeys StaticKeysOf(const AwsProfile& profile) {
  AwsKeys keys{.access_key_id = profile.Get("aws_access_key_id"),
               .secret_access_key = profile.Get("aws_secret_access_key"),
               .session_token = profile.Get("aws_session_token"),
               .source = profile.shown()};
  if (keys.access_key_id.empty() && keys.secret_access_key.empty()) return std::optional<AwsKeys>();
  return Checked(std::move(keys));
}

// What a profile may ask for and only a person can answer.
Status CheckSupported(const AwsProfile& profile) {
  const bool is_sso = !profile.Get("sso_session").empty() || !profile.Get("sso_start_url").empty();
  if (!is_sso && profile.Get("mfa_serial").empty()) return {};
  return Error(StatusCode::kUnsupported,
               "{}: {} not spoken here; let the AWS CLI do it: a profile with "
               "credential_process = aws configure export-credentials --profile {}",
               profile.shown(), is_sso ? "single sign-on is" : "codes of a device (MFA) are",
               profile.name());
}

MaybeKeys KeysOfNamedSource(const std::string& source, const AwsProfile& profile,
                            const S3Options& s3, const std::string& ca_file) {
  if (source == "Environment") return KeysOfEnvironment(s3);
  if (source == "EcsContainer") return KeysOfContainer(ca_file);
  if (source == "Ec2InstanceMetadata") return KeysOfMachine();
  return InvalidArgument(
      "{}: credential_source is Environment, EcsContainer or Ec2InstanceMetadata, not {}",
      profile.shown(), QuoteForMessage(source));
}

MaybeKeys KeysAtDepth(const AwsProfile& profile, const S3Options& s3, const std::string& ca_file,
                      int depth);

// A role that keys of another source may take: of another profile, which may have a role itself.
MaybeKeys KeysOfProfileRole(const AwsProfile& profile, const AwsRole& role, const S3Options& s3,
                            const std::string& ca_file, int depth) {
  const std::string from = profile.Get("source_profile");
  const std::string source = profile.Get("credential_source");
  if (from.empty() == source.empty()) {
    return InvalidArgument("{}: a role_arn needs one of source_profile and credential_source",
                           profile.shown());
  }
  if (depth == kMostRoles)
    return InvalidArgument("{}: more than {} roles, one from the other", profile.shown(), depth);
  MaybeKeys asker = std::optional<AwsKeys>();
  if (!source.empty()) {
    asker = KeysOfNamedSource(source, profile, s3, ca_file);
  } else if (from == profile.name()) {
    asker = StaticKeysOf(profile);
  } else {
    DSI_ASSIGN_OR_RETURN(const AwsProfile other, AwsProfile::Load(from));
    asker = KeysAtDepth(other, s3, ca_file, depth + 1);
  }
  if (!asker.ok()) return asker.status().At(profile.shown());
  if (!*asker) {
    return InvalidArgument("{}: no keys are found for its role_arn by {}", profile.shown(),
                           QuoteForMessage(source.empty() ? from : source));
  }
  return Found(KeysOfRole(role, **asker));
}

MaybeKeys KeysAtDepth(const AwsProfile& profile, const S3Options& s3, const std::string& ca_file,
                      int depth) {
  DSI_RETURN_IF_ERROR(CheckSupported(profile));
  AwsRole role = RoleOf(profile, s3, ca_file);
  role.arn = profile.Get("role_arn");
  role.session_name = profile.Get("role_session_name");
  role.external_id = profile.Get("external_id");
  role.duration_seconds = profile.Get("duration_seconds");
  const std::string token_file = profile.Get("web_identity_token_file");
  if (!role.arn.empty() && !token_file.empty()) return Found(KeysOfWebIdentity(role, token_file));
  if (!role.arn.empty()) return KeysOfProfileRole(profile, role, s3, ca_file, depth);
  MaybeKeys keys = StaticKeysOf(profile);
  if (!keys.ok() || *keys) return keys;
  const std::string command = profile.Get("credential_process");
  if (command.empty()) return keys;
  return Found(KeysOfProcess(command, profile.shown() + " (credential_process)"));
}

}  // namespace

AwsRole RoleOf(const AwsProfile& profile, const S3Options& s3, const std::string& ca_file) {
  AwsRole role{.region = FirstOf(s3.region, "AWS_REGION", "AWS_DEFAULT_REGION"),
               .endpoint = FirstOf({}, "AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"),
               .ca_file = ca_file};
  if (role.region.empty()) role.region = profile.Get("region");
  if (role.endpoint.empty()) role.endpoint = profile.EndpointOf("sts");
  return role;
}

MaybeKeys KeysOfProfile(const AwsProfile& profile, const S3Options& s3,
                        const std::string& ca_file) {
  return KeysAtDepth(profile, s3, ca_file, 0);
}

}  // namespace dsi::internal
