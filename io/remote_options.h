// How files behind HTTP(S) and S3 are read. The defaults suit a server in the same region.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsi/io/file.h"

namespace dsi {

struct RemoteOptions {
  // Most requests in flight for one call of ReadMany; each has a connection of its own, which is
  // kept for the next call. Threads that read at once have as many each.
  uint32_t connections = 32;
  // Connections that are made with the opening of a file, at most `connections`: two bring its
  // ends, each other one byte, so that the first reads need not wait for handshakes.
  uint32_t first_connections = 20;
  // Most requests for one range (and connections tried), the first among them. What is worth
  // another try: broken connections, answers of the wrong length, 408, 429 and 5xx.
  uint32_t max_tries = 8;
  // A range (of at most 16 MiB) that is not there after so long, tries and waiting included, is an
  // error.
  double deadline_s = 120;
  double connect_timeout_s = 10;
  // A try that brings less than 1 byte/s for so long has failed.
  uint32_t stall_timeout_s = 15;
  uint32_t max_redirects = 5;
  // Sent with each request, "Name: value": say a bearer token. Not sent to other hosts that the
  // server redirects to.
  std::vector<std::string> headers;
  // Certificates to trust, PEM. Empty: the file named by AWS_CA_BUNDLE (S3 only), CURL_CA_BUNDLE or
  // SSL_CERT_FILE, else the system's.
  std::string ca_file;
  // Empty: kHttpCosts or kS3Costs.
  std::optional<SourceCosts> costs;
};

// Keys that are found, kept, renewed before they are over, and shared: ShareCredentials
// (io/open.h).
class S3Credentials;

// Where s3:// leads and who asks. What is empty comes from the environment, then from a profile of
// ~/.aws; keys after these from the container and the machine: docs/remote.md has the order.
struct S3Options {
  std::string access_key_id;      // AWS_ACCESS_KEY_ID
  std::string secret_access_key;  // AWS_SECRET_ACCESS_KEY
  std::string session_token;      // AWS_SESSION_TOKEN, with a key of the environment only.
  std::string region;             // AWS_REGION, AWS_DEFAULT_REGION, profile; else us-east-1.
  // AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, profile; none: that of AWS. Buckets of an endpoint are
  // the first part of the path; those of AWS the first of the host, unless there is a dot in them.
  std::string endpoint;
  // Of ~/.aws/config and ~/.aws/credentials. Empty: AWS_PROFILE, else "default". One that is named
  // here comes before keys of the environment.
  std::string profile;
  // Asks for nobody's sake, as public buckets allow: no keys are looked for. AWS_NO_SIGN_REQUEST.
  bool no_sign_request = false;
  // Shared by files, which then need not find keys each. What is said above of keys and profile is
  // what it was when they were shared.
  std::shared_ptr<S3Credentials> credentials;
};

}  // namespace dsi
