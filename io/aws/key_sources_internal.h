// Where keys are asked for, each of its own file. What each returns is checked; errors name the
// source and show nothing secret.
#pragma once

#include <optional>
#include <string>

#include "dsi/base/status.h"
#include "dsi/io/aws/aws_keys_internal.h"
#include "dsi/io/aws/aws_profile_internal.h"

namespace dsi::internal {

// A role that is given to who holds a token: AssumeRoleWithWebIdentity of STS.
struct WebIdentity {
  std::string role_arn = {};
  std::string token_file = {};
  std::string session_name = {};  // Empty: one of ours.
  std::string region = {};        // Empty: STS of all regions.
  std::string endpoint = {};      // Empty: that of AWS.
  std::string ca_file = {};
};
Result<AwsKeys> KeysOfWebIdentity(const WebIdentity& identity);

// What a command prints, as AWS has it: an argument list, split at blanks but for quotes and
// backslashes, which no shell sees; at most 64 KiB within a minute. `shown` begins messages.
Result<AwsKeys> KeysOfProcess(const std::string& command, const std::string& shown);

// Of a container (ECS, EKS pod identity). Nothing: the environment names no URL. kInvalidArgument:
// one that keys may not come from, http to another host than this machine and those of AWS.
Result<std::optional<AwsKeys>> KeysOfContainer(const std::string& ca_file);

// Of the machine (EC2's metadata, version 2). Nothing: this is none of EC2's, has no role, or
// AWS_EC2_METADATA_DISABLED. Waits a second for it.
Result<std::optional<AwsKeys>> KeysOfMachine();

}  // namespace dsi::internal
