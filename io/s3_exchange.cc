// Bodies are not hashed for the signature: a file of ours has its own seals, and who put it reads
// it back; the connection is as safe as the endpoint's scheme.
#include "dsi/io/s3_exchange_internal.h"

#include <algorithm>
#include <new>
#include <span>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxAnswerKept = 64 << 10;
constexpr const char* kUnsignedBody = "x-amz-content-sha256: UNSIGNED-PAYLOAD";
// What is read of a file at once.
constexpr long kBufferBytes = 512 << 10;

}  // namespace

Status S3Exchange::Prepare(const RemoteTarget& target, const RemotePlace& place,
                           S3Request* request) {
  ::curl_easy_reset(easy());
  lines_.reset();
  error_[0] = 0;
  request_ = request;
  request_->head = {};
  request_->body.clear();
  sent_ = 0;
  failure_ = Status::Ok();
  is_out_of_memory_ = false;
  DSI_ASSIGN_OR_RETURN(keys_, KeysFor(target, place));
  bool has_memory = !request->only_if_new || AddLine("If-None-Match: *", &lines_);
  if (keys_ != nullptr) has_memory = has_memory && AddLine(kUnsignedBody, &lines_);
  if (keys_ != nullptr && !keys_->session_token.empty()) {
    has_memory = has_memory && AddLine("x-amz-security-token: " + keys_->session_token, &lines_);
  }
  // Else libcurl would call it a form, and the object would be one.
  if (request->method == "POST")
    has_memory = has_memory && AddLine("Content-Type: binary/octet-stream", &lines_);
  if (!has_memory) return OutOfMemory();
  CurlSetter set(easy());
  SetCommonOptions(target, place, keys_, &set);
  set(CURLOPT_HTTPHEADER, lines_.get());
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_HEADERFUNCTION, &S3Exchange::OnHead);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &S3Exchange::OnAnswer);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  SetBody(&set);
  if (set.code() == CURLE_OK) return Status::Ok();
  if (set.code() == CURLE_OUT_OF_MEMORY) return OutOfMemory();
  return Error(StatusCode::kIo, "{}: libcurl: {}", target.name, ::curl_easy_strerror(set.code()));
}

void S3Exchange::SetBody(CurlSetter* setter) {
  CurlSetter& set = *setter;
  if (request_->method == "PUT") {
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
    set(CURLOPT_READFUNCTION, &S3Exchange::OnRead);
    set(CURLOPT_READDATA, static_cast<void*>(this));
    set(CURLOPT_SEEKFUNCTION, &S3Exchange::OnSeek);
    set(CURLOPT_SEEKDATA, static_cast<void*>(this));
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body_size()));
  } else if (request_->method == "POST") {
    set(CURLOPT_POSTFIELDSIZE, static_cast<long>(request_->text.size()));
    set(CURLOPT_POSTFIELDS, request_->text.empty() ? "" : request_->text.data());
  } else if (request_->method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else {
    set(CURLOPT_CUSTOMREQUEST, "DELETE");
  }
}

std::string S3Exchange::ErrorOf(CURLcode code) const {
  return error_[0] != 0 ? std::string(error_.data()) : ::curl_easy_strerror(code);
}

size_t S3Exchange::OnRead(char* dst, size_t size, size_t count, void* exchange) {
  auto* const self = static_cast<S3Exchange*>(exchange);
  const S3Request& request = *self->request_;
  const size_t taken = std::min<uint64_t>(size * count, self->body_size() - self->sent_);
  const std::span<std::byte> room(reinterpret_cast<std::byte*>(dst), taken);
  if (request.file != nullptr) {
    self->failure_ = request.file->ReadAt(request.offset + self->sent_, room);
    if (!self->failure_.ok()) return CURL_READFUNC_ABORT;
  } else {
    std::copy_n(request.text.data() + self->sent_, taken, dst);
  }
  self->sent_ += taken;
  return taken;
}

int S3Exchange::OnSeek(void* exchange, curl_off_t offset, int origin) {
  auto* const self = static_cast<S3Exchange*>(exchange);
  if (origin != SEEK_SET || offset < 0 || static_cast<uint64_t>(offset) > self->body_size())
    return CURL_SEEKFUNC_FAIL;
  self->sent_ = static_cast<uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

size_t S3Exchange::OnHead(char* line, size_t size, size_t count, void* exchange) {
  auto* const self = static_cast<S3Exchange*>(exchange);
  try {
    self->request_->head.AddLine({line, size * count});
    return size * count;
  } catch (const std::bad_alloc&) {
    self->is_out_of_memory_ = true;
    return 0;
  }
}

size_t S3Exchange::OnAnswer(char* bytes, size_t size, size_t count, void* exchange) {
  auto* const self = static_cast<S3Exchange*>(exchange);
  std::string& body = self->request_->body;
  try {
    const std::string_view part(bytes, size * count);
    body.append(part.substr(0, kMaxAnswerKept - std::min(kMaxAnswerKept, body.size())));
    return size * count;
  } catch (const std::bad_alloc&) {
    self->is_out_of_memory_ = true;
    return 0;
  }
}

}  // namespace dsi::internal
