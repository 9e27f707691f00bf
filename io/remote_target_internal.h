// What requests for one remote file are made of: where it is, who asks, how patiently.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/io/remote_options.h"

namespace dsi::internal {

// An object of S3, and who asks for it.
struct S3Object {
  std::string bucket;
  std::string key;
  std::string query;                           // With its "?"; sorted and escaped as it is signed.
  std::string endpoint;                        // Without a slash at the end; empty: AWS.
  std::shared_ptr<S3Credentials> credentials;  // Of a target never null.

  std::string Url(std::string_view region) const;
};

// Where a request goes. Of S3 the region is part of what is signed.
struct RemotePlace {
  std::string url;
  std::string region;
};

struct RemoteTarget {
  std::string name;  // For messages: without secrets.
  RemotePlace origin = {};
  RemotePlace place = {};  // Where opening was redirected to; else the origin.
  std::optional<S3Object> s3 = {};
  RemoteOptions options;
};

// The target of an http: or https: URL, or of s3://bucket/key. kInvalidArgument: no such URL, or an
// option without meaning.
Result<RemoteTarget> HttpTarget(const std::string& url, const RemoteOptions& options);
Result<RemoteTarget> S3Target(const std::string& url, const RemoteOptions& options,
                              const S3Options& s3);
// That of the bucket of s3://bucket/…, whatever follows: what may be asked for is a query.
Result<RemoteTarget> S3BucketTarget(const std::string& url, const RemoteOptions& options,
                                    const S3Options& s3);

// Which certificates are trusted where S3 and AWS are asked. Empty: the system's.
std::string S3CaFile(const RemoteOptions& options);

// Whether `url` is of the same scheme, host and port as `other`: what is secret may go there too.
bool IsSameServer(const std::string& url, const std::string& other);
// Whether a host of `url` is one of AWS, which a signature for AWS may be shown to.
bool IsAwsServer(const std::string& url);
// Whether a text may stand in the name of a host and in a signature.
bool IsRegion(std::string_view region);
// Whether going from one URL to the other loses encryption, or leaves HTTP.
bool IsDowngrade(const std::string& from, const std::string& to);

}  // namespace dsi::internal
