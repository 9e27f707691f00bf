#include "dsi/io/s3_multipart_internal.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/io/xml_walk_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr size_t kMaxUploadId = 2048;

Result<std::string> Begin(S3Sender* sender, const std::string& url, const GoOn& go_on) {
  // Without its answer nobody could remove what was begun.
  S3Request request{.doing = "beginning an upload",
                    .method = "POST",
                    .query = "uploads=",
                    .must_be_answered = true};
  DSI_RETURN_IF_ERROR(sender->Send(url, {&request, 1}, 1, go_on));
  std::string id;
  const Status status =
      WalkXml(request.body, [&](std::string_view path, const std::string& text) -> Status {
        if (path == "InitiateMultipartUploadResult/UploadId") id = text;
        return Status::Ok();
      });
  if (!status.ok()) return status.At(url);
  if (id.empty() || id.size() > kMaxUploadId)
    return Error(StatusCode::kIo, "{}: the server's answer names no upload", url);
  return id;
}

std::vector<S3Request> PartsOf(const RandomAccessFile& file, const std::string& id,
                               uint64_t part_bytes) {
  std::vector<S3Request> parts;
  for (uint64_t at = 0; at < file.size(); at += part_bytes) {
    parts.push_back({.doing = "writing a part",
                     .method = "PUT",
                     .query = fmt::format("partNumber={}&uploadId={}", parts.size() + 1, id),
                     .file = &file,
                     .offset = at,
                     .size = std::min(part_bytes, file.size() - at)});
  }
  return parts;
}

// What the server calls the parts is given back to it as it is, escaped.
Result<std::string> ListOfParts(const std::string& url, std::span<const S3Request> parts) {
  std::string xml = "<CompleteMultipartUpload>";
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string& etag = parts[i].head.etag;
    if (etag.empty()) return Error(StatusCode::kIo, "{}: part {} got no ETag", url, i + 1);
    xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>", i + 1);
    for (const char c : etag) xml += fmt::format("&#{};", static_cast<unsigned char>(c));
    xml += "</ETag></Part>";
  }
  return xml + "</CompleteMultipartUpload>";
}

// Of an upload that is over although this request did not do it: whether an earlier try did, whose
// answer was lost.
Status CheckWhetherDone(S3Sender* sender, const std::string& url, uint64_t size,
                        const Status& failed) {
  S3Request look{.doing = "looking", .method = "HEAD"};
  const Status status = sender->Send(url, {&look, 1});
  if (!status.ok() || look.head.content_length != size) return failed;
  return Error(StatusCode::kAlreadyExists, "{}: writing: an object is there already", url);
}

Status Complete(S3Sender* sender, const std::string& url, const RandomAccessFile& file,
                const std::string& id, std::span<const S3Request> parts) {
  DSI_ASSIGN_OR_RETURN(const std::string xml, ListOfParts(url, parts));
  S3Request request{.doing = "writing",
                    .method = "POST",
                    .query = "uploadId=" + id,
                    .only_if_new = true,
                    .text = xml};
  Status status = sender->Send(url, {&request, 1});
  // libcurl itself asks again where a connection that it kept breaks.
  if (status.code() == StatusCode::kNotFound)
    return CheckWhetherDone(sender, url, file.size(), status);
  return status;
}

}  // namespace

uint64_t PartBytesFor(uint64_t file_bytes, uint64_t part_bytes) {
  const uint64_t least = file_bytes / kMaxParts + (file_bytes % kMaxParts != 0 ? 1 : 0);
  if (least <= part_bytes) return part_bytes;
  return least / kMiB * kMiB + (least % kMiB != 0 ? kMiB : 0);
}

Status PutInParts(S3Sender* sender, const std::string& url, const RandomAccessFile& file,
                  const S3PutOptions& options) {
  const uint64_t part_bytes = PartBytesFor(file.size(), options.part_bytes);
  if (part_bytes > kMaxPutBytes) {
    return InvalidArgument("{}: {} bytes; an object has at most {} parts of {}", file.name(),
                           file.size(), kMaxParts, kMaxPutBytes);
  }
  DSI_ASSIGN_OR_RETURN(std::string id, Begin(sender, url, options.go_on));
  id = EscapeValue(id);
  std::vector<S3Request> parts = PartsOf(file, id, part_bytes);
  Status status = sender->Send(url, parts, options.parallel, options.go_on);
  if (status.ok()) status = Complete(sender, url, file, id, parts);
  if (status.ok()) return status;
  S3Request abort{.doing = "removing parts", .method = "DELETE", .query = "uploadId=" + id};
  const Status removed = sender->Send(url, {&abort, 1});
  if (removed.ok()) return status;
  return {status.code(), status.message() + "; its parts are left behind: " + removed.message()};
}

}  // namespace dsi::internal
