// A profile of ~/.aws/config and ~/.aws/credentials: who asks, where, and how to find out.
#pragma once

#include <string>
#include <string_view>

#include "dsi/base/json_position_internal.h"
#include "dsi/base/status.h"
#include "dsi/io/aws/ini_file_internal.h"

namespace dsi::internal {

// Thread safety: as a constant.
class AwsProfile {
 public:
  // Reads both files; of a value that both have, that of the credentials. Empty `name`: that of
  // AWS_PROFILE, else "default". kInvalidArgument: a profile that was named is not there.
  // kBadInput: a file is malformed. A file that is not there has no profiles.
  static Result<AwsProfile> Load(const std::string& name);

  // Empty: not there. Names are lower-case.
  std::string Get(std::string_view name) const;
  // Of a service ("s3", "sts"): that of its section of [services …], else of the profile.
  std::string EndpointOf(std::string_view service) const;

  const std::string& name() const { return name_; }
  // For messages: profile "train".
  std::string shown() const { return "profile " + QuoteForMessage(name_); }

 private:
  std::string name_;
  IniSection values_;
  IniSection services_;
};

}  // namespace dsi::internal
