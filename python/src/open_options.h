// How files are opened, as the keywords of Python say it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dsi/io/open.h"

namespace dsi::python {

// What opens files with them shares who asks S3.
inline OpenOptions OpenOptionsOf(std::vector<std::string> headers, std::string ca_file,
                                 std::string s3_endpoint, std::string s3_region,
                                 std::string s3_profile, bool s3_no_sign_request) {
  OpenOptions options;
  options.remote.headers = std::move(headers);
  options.remote.ca_file = std::move(ca_file);
  options.s3.endpoint = std::move(s3_endpoint);
  options.s3.region = std::move(s3_region);
  options.s3.profile = std::move(s3_profile);
  options.s3.no_sign_request = s3_no_sign_request;
  ShareCredentials(&options);
  return options;
}

}  // namespace dsi::python
