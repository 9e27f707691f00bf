#include "dsi/io/remote_target_internal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/aws/s3_credentials_internal.h"
#include "dsi/io/environment_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/io/url_parts_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kMaxConnections = 256;
constexpr double kMaxSeconds = 86400;

bool IsTime(double seconds) { return seconds > 0 && seconds <= kMaxSeconds; }

Status CheckOptions(const RemoteOptions& options) {
  if (options.connections == 0 || options.connections > kMaxConnections) {
    return InvalidArgument("RemoteOptions::connections is {}; 1 to {} are possible",
                           options.connections, kMaxConnections);
  }
  if (options.max_tries == 0) return InvalidArgument("RemoteOptions::max_tries is 0");
  if (!IsTime(options.deadline_s) || !IsTime(options.connect_timeout_s) ||
      !IsTime(options.stall_timeout_s)) {
    return InvalidArgument("RemoteOptions: times are above 0 and at most {} s", kMaxSeconds);
  }
  for (const std::string& header : options.headers) {
    const size_t colon = header.find(':');
    if (colon == std::string::npos || colon == 0 ||
        std::any_of(header.begin(), header.end(), [](char c) { return c == '\r' || c == '\n'; })) {
      return InvalidArgument("RemoteOptions::headers: each is one line \"Name: value\"");
    }
  }
  return Status::Ok();
}

// What a host name or a region is made of: neither may bring another part of a URL along.
bool IsPlain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
}

}  // namespace

std::string S3Object::Url(std::string_view region) const {
  const std::string path = EscapeKey(key) + query;
  if (!endpoint.empty()) return fmt::format("{}/{}/{}", endpoint, bucket, path);
  const std::string_view china = region.starts_with("cn-") ? ".cn" : "";
  // A dot would make the host one more level than the certificate is for.
  if (bucket.find('.') != std::string::npos) {
    return fmt::format("https://s3.{}.amazonaws.com{}/{}/{}", region, china, bucket, path);
  }
  return fmt::format("https://{}.s3.{}.amazonaws.com{}/{}", bucket, region, china, path);
}

Result<RemoteTarget> HttpTarget(const std::string& url, const RemoteOptions& options) {
  RemoteTarget target{.name = WithoutSecrets(url), .options = options};
  DSI_RETURN_IF_ERROR(CheckOptions(options));
  if (url.find('\0') != std::string::npos) return InvalidArgument("{}: a NUL byte", target.name);
  target.origin.url = EscapeUrl(url);
  const auto parsed = ParseUrl(target.origin.url);
  if (!parsed || !parsed->is_http()) {
    return InvalidArgument("{}: not a URL of http or https", target.name);
  }
  target.place = target.origin;
  if (!target.options.costs) target.options.costs = kHttpCosts;
  target.options.ca_file = FirstOf(options.ca_file, "CURL_CA_BUNDLE", "SSL_CERT_FILE");
  return target;
}

namespace {

// Of the URL up to the bucket's end.
Result<RemoteTarget> BucketTarget(const std::string& url, S3Object object,
                                  const RemoteOptions& options, const S3Options& s3) {
  RemoteTarget target{.name = url, .options = options};
  DSI_RETURN_IF_ERROR(CheckOptions(options));
  if (!IsPlain(object.bucket)) {
    return InvalidArgument("{}: the name of a bucket has letters, digits, '-', '.', '_'", url);
  }
  target.options.ca_file = S3CaFile(options);
  object.credentials =
      s3.credentials != nullptr ? s3.credentials : MakeS3Credentials(s3, target.options.ca_file);
  DSI_ASSIGN_OR_RETURN(const AwsProfile* const profile, object.credentials->Profile());
  target.origin.region = FirstOf(s3.region, "AWS_REGION", "AWS_DEFAULT_REGION");
  if (target.origin.region.empty()) target.origin.region = profile->Get("region");
  if (target.origin.region.empty()) target.origin.region = "us-east-1";
  if (!IsRegion(target.origin.region)) {
    return InvalidArgument("{}: \"{}\" is no region", url, target.origin.region);
  }
  object.endpoint = FirstOf(s3.endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
  if (object.endpoint.empty()) object.endpoint = profile->EndpointOf("s3");
  while (object.endpoint.ends_with('/')) object.endpoint.pop_back();
  if (!object.endpoint.empty()) {
    const auto parsed = ParseUrl(object.endpoint);
    if (!parsed || !parsed->is_http()) {
      return InvalidArgument("{}: the endpoint {} is no URL of http or https", url,
                             WithoutSecrets(object.endpoint));
    }
  }
  target.origin.url = object.Url(target.origin.region);
  target.place = target.origin;
  target.s3 = std::move(object);
  if (!target.options.costs) target.options.costs = kS3Costs;
  return target;
}

S3Object ObjectOf(std::string_view url) {
  const std::string_view rest = url.substr(url.find("://") + 3);
  const size_t slash = std::min(rest.find('/'), rest.size());
  S3Object object;
  object.bucket = rest.substr(0, slash);
  object.key = rest.substr(std::min(slash + 1, rest.size()));
  return object;
}

}  // namespace

Result<RemoteTarget> S3Target(const std::string& url, const RemoteOptions& options,
                              const S3Options& s3) {
  S3Object object = ObjectOf(url);
  if (object.key.empty()) return InvalidArgument("{}: a file of S3 is s3://bucket/key", url);
  return BucketTarget(url, std::move(object), options, s3);
}

Result<RemoteTarget> S3BucketTarget(const std::string& url, const RemoteOptions& options,
                                    const S3Options& s3) {
  S3Object object = ObjectOf(url);
  object.key.clear();
  return BucketTarget(url, std::move(object), options, s3);
}

std::string S3CaFile(const RemoteOptions& options) {
  return FirstOf(options.ca_file, "AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE");
}

bool IsSameServer(const std::string& url, const std::string& other) {
  const auto a = ParseUrl(url);
  return a.has_value() && a == ParseUrl(other);
}

bool IsAwsServer(const std::string& url) {
  const auto parsed = ParseUrl(url);
  return parsed && parsed->scheme == "https" &&
         (parsed->host.ends_with(".amazonaws.com") || parsed->host.ends_with(".amazonaws.com.cn"));
}

bool IsRegion(std::string_view region) { return IsPlain(region); }

bool IsDowngrade(const std::string& from, const std::string& to) {
  const auto a = ParseUrl(from);
  const auto b = ParseUrl(to);
  return !a || !b || !b->is_http() || (a->scheme == "https" && b->scheme != "https");
}

}  // namespace dsi::internal
