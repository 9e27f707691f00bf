// Objects of S3 put and deleted, whole. Reading and listing are elsewhere.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/io/open.h"
#include "dsi/io/s3_multipart_internal.h"
#include "dsi/io/s3_sender_internal.h"

namespace dsi::internal {

// Thread safety: one thread at a time. Keeps its connections from one request to the next, and is
// used in the process that made it.
class S3Writes {
 public:
  static Result<std::unique_ptr<S3Writes>> Make(const OpenOptions& options);

  // Puts an object where none is: `If-None-Match: *`. kAlreadyExists: one is there, perhaps that of
  // an earlier try whose answer was lost. `url` is s3://bucket/key.
  Status PutNew(const std::string& url, std::string_view bytes);
  // The same from a file, in parts where it is large.
  Status PutNew(const std::string& url, const RandomAccessFile& file,
                const S3PutOptions& options = {});
  // One that is not there is fine.
  Status Delete(const std::string& url);

 private:
  explicit S3Writes(std::unique_ptr<S3Sender> sender) : sender_(std::move(sender)) {}

  std::unique_ptr<S3Sender> sender_;
};

}  // namespace dsi::internal
