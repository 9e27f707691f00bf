// Objects of S3 put and deleted: whole, one request each. Reading and listing are elsewhere.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/io/open.h"

namespace dsi::internal {

// What one request can put.
inline constexpr uint64_t kMaxPutBytes = uint64_t{5} << 30;

// Thread safety: one thread at a time. Keeps its connection from one request to the next, and is
// used in the process that made it.
class S3Writes {
 public:
  static Result<std::unique_ptr<S3Writes>> Make(const OpenOptions& options);
  ~S3Writes();

  // Puts an object where none is: `If-None-Match: *`. kAlreadyExists: one is there, perhaps that of
  // an earlier try whose answer was lost. `url` is s3://bucket/key.
  Status PutNew(const std::string& url, std::string_view bytes);
  // The same from a file, of kMaxPutBytes at most.
  Status PutNew(const std::string& url, const RandomAccessFile& file);
  // One that is not there is fine.
  Status Delete(const std::string& url);

 private:
  class Impl;
  explicit S3Writes(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsi::internal
