// Where keys are asked for, each of its own file. What each returns is checked; errors name the
// source and show nothing secret.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "dsi/base/status.h"
#include "dsi/io/aws/aws_keys_internal.h"
#include "dsi/io/aws/aws_profile_internal.h"
#include "dsi/io/remote_options.h"

namespace dsi::internal {

// Nothing: the source is not there.
using MaybeKeys = Result<std::optional<AwsKeys>>;
inline MaybeKeys Found(Result<AwsKeys> keys) {
  if (!keys.ok()) return keys.status();
  return std::optional<AwsKeys>(*std::move(keys));
}
inline MaybeKeys Checked(AwsKeys keys) {
  DSI_RETURN_IF_ERROR(CheckKeys(keys));
  return std::optional<AwsKeys>(std::move(keys));
}

// AWS_ACCESS_KEY_ID and what goes with it.
MaybeKeys KeysOfEnvironment(const S3Options& s3);

// A role of STS, and where STS is.
struct AwsRole {
  std::string arn = {};
  std::string session_name = {};  // Empty: one of ours.
  std::string external_id = {};
  std::string duration_seconds = {};
  std::string region = {};    // Empty: STS of all regions.
  std::string endpoint = {};  // Empty: that of AWS.
  std::string ca_file = {};
};
// Given to who holds a token: AssumeRoleWithWebIdentity.
Result<AwsKeys> KeysOfWebIdentity(const AwsRole& role, const std::string& token_file);
// Given to who holds other keys: AssumeRole.
Result<AwsKeys> KeysOfRole(const AwsRole& role, const AwsKeys& asker);

// No role yet: where STS is by the options, the environment and the profile.
AwsRole RoleOf(const AwsProfile& profile, const S3Options& s3, const std::string& ca_file);

// What a profile says: keys, a role (by web identity, by other keys), a command. kUnsupported: it
// asks for a person. kInvalidArgument: half of what is needed.
MaybeKeys KeysOfProfile(const AwsProfile& profile, const S3Options& s3, const std::string& ca_file);

// What a command prints, as AWS has it: an argument list, split at blanks but for quotes and
// backslashes, which no shell sees; at most 64 KiB within a minute. `shown` begins messages.
Result<AwsKeys> KeysOfProcess(const std::string& command, const std::string& shown);

// Of a container (ECS, EKS pod identity). Nothing: the environment names no URL. kInvalidArgument:
// one that keys may not come from, http to another host than this machine and those of AWS.
MaybeKeys KeysOfContainer(const std::string& ca_file);

// Of the machine (EC2's metadata, version 2). Nothing: this is none of EC2's, has no role, or
// AWS_EC2_METADATA_DISABLED. Waits a second for it.
MaybeKeys KeysOfMachine();

}  // namespace dsi::internal
