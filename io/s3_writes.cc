#include "dsi/io/s3_writes_internal.h"

#include <utility>

namespace dsi::internal {

Result<std::unique_ptr<S3Writes>> S3Writes::Make(const OpenOptions& options) {
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<S3Sender> sender, S3Sender::Make(options));
  return std::unique_ptr<S3Writes>(new S3Writes(std::move(sender)));
}

Status S3Writes::PutNew(const std::string& url, std::string_view bytes) {
  S3Request put{.doing = "writing", .method = "PUT", .only_if_new = true, .text = bytes};
  return sender_->Send(url, {&put, 1});
}

Status S3Writes::PutNew(const std::string& url, const RandomAccessFile& file,
                        const S3PutOptions& options) {
  if (file.size() > options.single_bytes) return PutInParts(sender_.get(), url, file, options);
  S3Request put{.doing = "writing",
                .method = "PUT",
                .only_if_new = true,
                .file = &file,
                .offset = 0,
                .size = file.size()};
  return sender_->Send(url, {&put, 1}, 1, options.go_on);
}

Status S3Writes::Delete(const std::string& url) {
  S3Request request{.doing = "deleting", .method = "DELETE"};
  return sender_->Send(url, {&request, 1});
}

}  // namespace dsi::internal
