#include "dsi/io/aws/aws_profile_internal.h"

#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/io/environment_internal.h"

namespace dsi::internal {
namespace {

std::string WithHome(std::string path) {
  if (path == "~" || path.starts_with("~/")) path.replace(0, 1, Environment("HOME"));
  return path;
}

// What a user other than the owner of $HOME may not read is as if it were not there, unless it was
// asked for by name.
Result<IniFile> ReadFile(const char* variable, const char* usual) {
  const std::string named = Environment(variable);
  if (named.empty() && Environment("HOME").empty()) return IniFile();
  const std::string path = WithHome(named.empty() ? usual : named);
  const auto text = ReadTextFile(path, kMaxIniBytes);
  if (!text.ok()) {
    const bool is_missing = named.empty() || text.status().code() == StatusCode::kNotFound;
    return is_missing ? Result<IniFile>(IniFile()) : text.status().At(variable);
  }
  return ParseIni(*text, path);
}

const IniSection* Find(const IniFile& file, const std::string& name) {
  const auto at = file.find(name);
  return at == file.end() ? nullptr : &at->second;
}

std::string ValueOf(const IniSection& section, std::string_view name) {
  const auto at = section.find(name);
  return at == section.end() ? std::string() : at->second;
}

}  // namespace

Result<AwsProfile> AwsProfile::Load(const std::string& name) {
  AwsProfile profile;
  profile.name_ = FirstOf(name, "AWS_PROFILE");
  const bool is_named = !profile.name_.empty();
  if (!is_named) profile.name_ = "default";
  DSI_ASSIGN_OR_RETURN(const IniFile credentials,
                       ReadFile("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"));
  DSI_ASSIGN_OR_RETURN(const IniFile config, ReadFile("AWS_CONFIG_FILE", "~/.aws/config"));
  const IniSection* in_config = Find(config, "profile " + profile.name_);
  if (in_config == nullptr && profile.name_ == "default") in_config = Find(config, "default");
  const IniSection* const in_credentials = Find(credentials, profile.name_);
  if (is_named && in_config == nullptr && in_credentials == nullptr) {
    return InvalidArgument(
        "{}: none of this name is in ~/.aws/config or ~/.aws/credentials (or where "
        "AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE say)",
        profile.shown());
  }
  if (in_credentials != nullptr) profile.values_ = *in_credentials;
  if (in_config != nullptr) profile.values_.insert(in_config->begin(), in_config->end());
  const std::string services = profile.Get("services");
  if (const IniSection* const section = Find(config, "services " + services))
    profile.services_ = *section;
  return profile;
}

std::string AwsProfile::Get(std::string_view name) const { return ValueOf(values_, name); }

std::string AwsProfile::EndpointOf(std::string_view service) const {
  std::string own = ValueOf(services_, std::string(service) + ".endpoint_url");
  return own.empty() ? Get("endpoint_url") : own;
}

}  // namespace dsi::internal
