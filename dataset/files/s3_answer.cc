#include "dsi/dataset/files/s3_answer_internal.h"

#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/xml_walk_internal.h"

namespace dsi::internal {

Result<S3Answer> ParseS3Answer(std::string_view xml) {
  S3Answer answer;
  bool is_answer = false;
  bool is_truncated = false;
  DSI_RETURN_IF_ERROR(WalkXml(xml, [&](std::string_view path, const std::string& text) -> Status {
    if (path == "ListBucketResult") is_answer = true;
    if (path == "ListBucketResult/Contents/Key") answer.keys.push_back(text);
    if (path == "ListBucketResult/IsTruncated") is_truncated = text == "true";
    if (path == "ListBucketResult/NextContinuationToken") answer.next = text;
    return Status::Ok();
  }));
  if (!is_answer) return Error(StatusCode::kIo, "the server's answer is no list of a bucket");
  if (is_truncated == answer.next.empty())
    return Error(StatusCode::kIo, "the server's list does not say whether and how it goes on");
  return answer;
}

}  // namespace dsi::internal
