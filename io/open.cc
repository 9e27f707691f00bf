#include "dsi/io/open.h"

#include <string>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/aws/s3_credentials_internal.h"
#include "dsi/io/http_file_internal.h"
#include "dsi/io/remote_target_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi {

Result<std::unique_ptr<RandomAccessFile>> OpenUri(const std::string& uri,
                                                  const OpenOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<RandomAccessFile>> {
    const std::string scheme = internal::SchemeOf(uri);
    if (scheme.empty()) return OpenLocalFile(uri, options.local);
    if (scheme == "file") {
      DSI_ASSIGN_OR_RETURN(const std::string path, internal::PathOfFileUrl(uri));
      return OpenLocalFile(path, options.local);
    }
    if (scheme == "http" || scheme == "https") {
      DSI_ASSIGN_OR_RETURN(internal::RemoteTarget target,
                           internal::HttpTarget(uri, options.remote));
      return internal::OpenHttpFile(std::move(target));
    }
    if (scheme == "s3") {
      DSI_ASSIGN_OR_RETURN(internal::RemoteTarget target,
                           internal::S3Target(uri, options.remote, options.s3));
      return internal::OpenHttpFile(std::move(target));
    }
    return internal::InvalidArgument(
        "{}: files are read from a path, file://, http://, https:// and s3://, not from {}:// (a "
        "local file of this name is ./{})",
        internal::WithoutSecrets(uri), scheme, internal::WithoutSecrets(uri));
  });
}

void ShareCredentials(OpenOptions* options) {
  S3Options& s3 = options->s3;
  if (s3.credentials != nullptr) return;
  s3.credentials = internal::MakeS3Credentials(s3, internal::S3CaFile(options->remote));
}

}  // namespace dsi
