#include "dsi/io/curl_request_internal.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {
namespace {

// What libcurl reads at once from a connection.
constexpr long kBufferBytes = 256 << 10;
// Of the body of an error: what is kept, and what is read so that the connection can be kept.
constexpr size_t kErrorKept = 4 << 10;
constexpr size_t kErrorRead = 256 << 10;
// What S3 wants to be told of a request without a body (SHA-256 of nothing). libcurl signs it, but
// sends it by itself since 8.0 only.
constexpr const char* kNoBody =
    "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

}  // namespace

Result<const AwsKeys*> KeysFor(const RemoteTarget& target, const RemotePlace& place) {
  if (!target.s3) return nullptr;
  const bool may_see = IsSameServer(place.url, target.origin.url) ||
                       (target.s3->endpoint.empty() && IsAwsServer(place.url));
  if (!may_see) return nullptr;
  auto keys = target.s3->credentials->Get();
  return keys.ok() ? keys : keys.status().At(target.name);
}

void SetCommonOptions(const RemoteTarget& target, const RemotePlace& place, const AwsKeys* keys,
                      CurlSetter* setter) {
  CurlSetter& set = *setter;
  const RemoteOptions& options = target.options;
  SetConnectionOptions(options.connect_timeout_s, options.ca_file, setter);
  set(CURLOPT_URL, place.url.c_str());
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout_s));
  if (keys != nullptr) {
    const std::string who = fmt::format("aws:amz:{}:s3", place.region);
    set(CURLOPT_AWS_SIGV4, who.c_str());
    set(CURLOPT_USERNAME, keys->access_key_id.c_str());
    set(CURLOPT_PASSWORD, keys->secret_access_key.c_str());
  }
}

ScatteredBytes::ScatteredBytes(std::span<const std::span<std::byte>> parts, uint64_t done)
    : parts_(parts) {
  Skip(done);
}

void ScatteredBytes::Skip(uint64_t size) {
  while (!parts_.empty() && size >= parts_.front().size() - done_) {
    size -= parts_.front().size() - done_;
    parts_ = parts_.subspan(1);
    done_ = 0;
  }
  if (!parts_.empty()) done_ += size;
}

void ScatteredBytes::Fill(std::string_view bytes) {
  while (!bytes.empty() && !parts_.empty()) {
    const std::span<std::byte> room = parts_.front().subspan(done_);
    const size_t taken = std::min(room.size(), bytes.size());
    if (taken != 0) std::memcpy(room.data(), bytes.data(), taken);
    bytes.remove_prefix(taken);
    Skip(taken);
  }
}

CurlRequest::CurlRequest() : easy_(::curl_easy_init()) {}

Status CurlRequest::AddHeaders(const RemoteTarget& target, const RemotePlace& place,
                               const RangeAsked& asked) {
  headers_.reset();
  bool has_memory = true;
  const auto add = [&](const std::string& line) {
    has_memory = has_memory && AddLine(line, &headers_);
  };
  if (asked.identity != nullptr) {
    const RemoteIdentity& identity = *asked.identity;
    if (identity.has_strong_etag()) {
      add("If-Match: " + identity.etag);
    } else if (!identity.last_modified.empty()) {
      add("If-Unmodified-Since: " + identity.last_modified);
    }
  }
  if (IsSameServer(place.url, target.origin.url)) {
    for (const std::string& header : target.options.headers) add(header);
  }
  if (keys_ != nullptr) {
    add(kNoBody);
    if (!keys_->session_token.empty()) add("x-amz-security-token: " + keys_->session_token);
  }
  return has_memory ? Status::Ok() : OutOfMemory();
}

Status CurlRequest::Prepare(const RemoteTarget& target, const RemotePlace& place,
                            const RangeAsked& asked, ScatteredBytes dst, double timeout_s) {
  ::curl_easy_reset(easy());
  DSI_ASSIGN_OR_RETURN(keys_, KeysFor(target, place));
  DSI_RETURN_IF_ERROR(AddHeaders(target, place, asked));
  asked_ = asked;
  dst_ = dst;
  answer_ = HttpAnswer();
  judgement_ = Judgement();
  has_head_ = has_too_much_ = is_out_of_memory_ = false;
  received_ = error_bytes_ = 0;
  error_body_.clear();
  error_[0] = 0;
  const std::string range = asked.from_end
                                ? fmt::format("-{}", asked.size)
                                : fmt::format("{}-{}", asked.offset, asked.offset + asked.size - 1);
  CurlSetter set(easy());
  SetCommonOptions(target, place, keys_, &set);
  if (!asked.is_whole) set(CURLOPT_RANGE, range.c_str());
  set(CURLOPT_ACCEPT_ENCODING, "identity");
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_BUFFERSIZE, kBufferBytes);
  set(CURLOPT_TIMEOUT_MS, Milliseconds(timeout_s));
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_HEADERFUNCTION, &CurlRequest::OnHeader);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &CurlRequest::OnBody);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  if (set.code() == CURLE_OK) return Status::Ok();
  if (set.code() == CURLE_OUT_OF_MEMORY) return OutOfMemory();
  return Error(StatusCode::kIo, "{}: libcurl: {}", target.name, ::curl_easy_strerror(set.code()));
}

size_t CurlRequest::OnHeader(char* line, size_t size, size_t count, void* request) {
  auto* const self = static_cast<CurlRequest*>(request);
  try {
    return self->TakeLine({line, size * count}) ? size * count : 0;
  } catch (const std::bad_alloc&) {
    self->is_out_of_memory_ = true;
    return 0;
  }
}

size_t CurlRequest::OnBody(char* bytes, size_t size, size_t count, void* request) {
  auto* const self = static_cast<CurlRequest*>(request);
  try {
    return self->TakeBytes({bytes, size * count}) ? size * count : 0;
  } catch (const std::bad_alloc&) {
    self->is_out_of_memory_ = true;
    return 0;
  }
}

// False: no more is wanted.
bool CurlRequest::TakeLine(std::string_view line) {
  if (has_head_) return true;  // Of a trailer.
  answer_.AddLine(line);
  const bool is_end = line == "\r\n" || line == "\n";
  if (!is_end || answer_.status < 200) return true;
  has_head_ = true;
  judgement_ = JudgeHead(answer_, asked_);
  // The body of an error is short and may say more; that of a range or a file is not.
  return judgement_.verdict == Verdict::kTakeBody || answer_.status >= 300;
}

bool CurlRequest::TakeBytes(std::string_view bytes) {
  if (!has_head_) return false;
  if (judgement_.verdict != Verdict::kTakeBody || answer_.status >= 300) {
    error_body_.append(bytes.substr(0, kErrorKept - std::min(kErrorKept, error_body_.size())));
    error_bytes_ += bytes.size();
    return error_bytes_ <= kErrorRead;
  }
  // JudgeHead: a range is never more than what was asked for.
  const uint64_t size = judgement_.range.end - judgement_.range.begin;
  if (bytes.size() > size - received_) {
    has_too_much_ = true;
    return false;
  }
  dst_.Fill(bytes);
  received_ += bytes.size();
  return true;
}

std::string CurlRequest::ErrorOf(CURLcode code) const {
  return error_[0] != 0 ? std::string(error_.data()) : ::curl_easy_strerror(code);
}

std::string CurlRequest::RedirectUrl() const {
  char* url = nullptr;
  const CURLcode code = ::curl_easy_getinfo(easy(), CURLINFO_REDIRECT_URL, &url);
  return code == CURLE_OK && url != nullptr ? std::string(url) : std::string();
}

}  // namespace dsi::internal
