// What servers answer to the question which files they have, as it comes: it is for others to read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dsi/base/status.h"
#include "dsi/io/open.h"
#include "dsi/io/range_transfers_internal.h"
#include "dsi/io/remote_target_internal.h"

namespace dsi::internal {

// Thread safety: one thread at a time. Keeps its connection from one answer to the next.
class RemoteListing {
 public:
  // Of a URL of http or https, or of the bucket of one of s3.
  static Result<std::unique_ptr<RemoteListing>> Make(const std::string& url,
                                                     const OpenOptions& options);

  // What is answered for a URL of the same server. kNotFound, kIo; more than 64 MiB is kIo.
  Result<std::string> Get(const std::string& url);
  // What S3 answers for a query of the bucket, sorted and escaped as it is signed.
  Result<std::string> Query(const std::string& query);

 private:
  explicit RemoteListing(RemoteTarget target) : target_(std::move(target)) {}
  Result<std::string> Fetch(RemotePlace place);

  RemoteTarget target_;
  std::string region_;
  std::unique_ptr<RangeTransfers> transfers_;
};

}  // namespace dsi::internal
