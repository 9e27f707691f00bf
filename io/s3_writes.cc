// A request is tried again as reading is (http_judge). Bodies are not hashed for the signature: a
// file of ours has its own seals, and who put it reads it back; the connection is as safe as the
// endpoint's scheme.
#include "dsi/io/s3_writes_internal.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/version.h"
#include "dsi/io/curl_request_internal.h"
#include "dsi/io/http_judge_internal.h"
#include "dsi/io/remote_target_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxAnswerKept = 4 << 10;
constexpr const char* kUnsignedBody = "x-amz-content-sha256: UNSIGNED-PAYLOAD";

// What is sent; of a deletion nothing.
struct PutBody {
  const RandomAccessFile* file = nullptr;
  std::string_view text = {};
  uint64_t at = 0;
  Status failure = {};

  uint64_t size() const { return file != nullptr ? file->size() : text.size(); }

  size_t Read(std::span<std::byte> dst) {
    const size_t count = std::min<uint64_t>(dst.size(), size() - at);
    if (file != nullptr) {
      failure = file->ReadAt(at, dst.first(count));
      if (!failure.ok()) return CURL_READFUNC_ABORT;
    } else {
      std::copy_n(reinterpret_cast<const std::byte*>(text.data()) + at, count, dst.data());
    }
    at += count;
    return count;
  }
};

size_t OnRead(char* dst, size_t size, size_t count, void* body) {
  return static_cast<PutBody*>(body)->Read({reinterpret_cast<std::byte*>(dst), size * count});
}

int OnSeek(void* body, curl_off_t offset, int origin) {
  auto* const put = static_cast<PutBody*>(body);
  if (origin != SEEK_SET || offset < 0 || static_cast<uint64_t>(offset) > put->size())
    return CURL_SEEKFUNC_FAIL;
  put->at = static_cast<uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

struct WriteAnswer {
  HttpAnswer head;
  std::string body;
  bool is_out_of_memory = false;
};

size_t OnHead(char* line, size_t size, size_t count, void* answer) {
  auto* const to = static_cast<WriteAnswer*>(answer);
  try {
    to->head.AddLine({line, size * count});
    return size * count;
  } catch (const std::bad_alloc&) {
    to->is_out_of_memory = true;
    return 0;
  }
}

size_t OnAnswer(char* bytes, size_t size, size_t count, void* answer) {
  auto* const to = static_cast<WriteAnswer*>(answer);
  try {
    const std::string_view part(bytes, size * count);
    to->body.append(part.substr(0, kMaxAnswerKept - std::min(kMaxAnswerKept, to->body.size())));
    return size * count;
  } catch (const std::bad_alloc&) {
    to->is_out_of_memory = true;
    return 0;
  }
}

struct FreeEasy {
  void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
};
struct FreeLines {
  void operator()(curl_slist* lines) const { ::curl_slist_free_all(lines); }
};
using Lines = std::unique_ptr<curl_slist, FreeLines>;

Status AddLine(const std::string& line, Lines* lines) {
  curl_slist* const longer = ::curl_slist_append(lines->get(), line.c_str());
  if (longer == nullptr) return OutOfMemory();
  (void)lines->release();  // `longer` begins with it.
  lines->reset(longer);
  return Status::Ok();
}

}  // namespace

class S3Writes::Impl {
 public:
  Impl(const OpenOptions& options, CURL* easy)
      : options_(options), easy_(easy), random_(std::random_device()()) {}

  // `body` null: deletes.
  Status Send(const std::string& url, PutBody* body);

 private:
  Status Prepare(const RemoteTarget& target, const RemotePlace& place, PutBody* body,
                 WriteAnswer* answer, Lines* lines);

  OpenOptions options_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::minstd_rand random_;
  std::string region_;  // Learned from an answer.
  std::array<char, CURL_ERROR_SIZE> error_{};
};

Status S3Writes::Impl::Prepare(const RemoteTarget& target, const RemotePlace& place, PutBody* body,
                               WriteAnswer* answer, Lines* lines) {
  ::curl_easy_reset(easy_.get());
  error_[0] = 0;
  if (body != nullptr) DSI_RETURN_IF_ERROR(AddLine("If-None-Match: *", lines));
  const bool is_signed = MaySign(target, place);
  if (is_signed) {
    DSI_RETURN_IF_ERROR(AddLine(kUnsignedBody, lines));
    if (!target.s3->session_token.empty()) {
      DSI_RETURN_IF_ERROR(AddLine("x-amz-security-token: " + target.s3->session_token, lines));
    }
  }
  CurlSetter set(easy_.get());
  SetCommonOptions(target, place, &set);
  set(CURLOPT_HTTPHEADER, lines->get());
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_HEADERFUNCTION, &OnHead);
  set(CURLOPT_HEADERDATA, static_cast<void*>(answer));
  set(CURLOPT_WRITEFUNCTION, &OnAnswer);
  set(CURLOPT_WRITEDATA, static_cast<void*>(answer));
  if (body != nullptr) {
    body->at = 0;
    body->failure = Status::Ok();
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_READFUNCTION, &OnRead);
    set(CURLOPT_READDATA, static_cast<void*>(body));
    set(CURLOPT_SEEKFUNCTION, &OnSeek);
    set(CURLOPT_SEEKDATA, static_cast<void*>(body));
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body->size()));
  } else {
    set(CURLOPT_CUSTOMREQUEST, "DELETE");
  }
  if (set.code() == CURLE_OK) return Status::Ok();
  if (set.code() == CURLE_OUT_OF_MEMORY) return OutOfMemory();
  return Error(StatusCode::kIo, "{}: libcurl: {}", target.name, ::curl_easy_strerror(set.code()));
}

Status S3Writes::Impl::Send(const std::string& url, PutBody* body) {
  DSI_ASSIGN_OR_RETURN(const RemoteTarget target, S3Target(url, options_.remote, options_.s3));
  RemotePlace place = target.origin;
  if (!region_.empty()) place = {.url = target.s3->Url(region_), .region = region_};
  const std::string_view doing = body == nullptr ? "deleting" : "writing";
  uint32_t redirects = 0;
  for (uint32_t tries = 1;; ++tries) {
    WriteAnswer answer;
    Lines lines;
    DSI_RETURN_IF_ERROR(Prepare(target, place, body, &answer, &lines));
    const CURLcode code = ::curl_easy_perform(easy_.get());
    if (answer.is_out_of_memory || code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (body != nullptr && !body->failure.ok()) return body->failure;
    const int status = code == CURLE_OK ? answer.head.status : 0;
    if (status >= 200 && status < 300) return Status::Ok();
    if (status == 404 && body == nullptr) return Status::Ok();
    const std::string& region = answer.head.bucket_region;
    if (status >= 300 && !region.empty() && region != place.region && IsRegion(region) &&
        redirects++ < options_.remote.max_redirects) {
      region_ = region;
      place = {.url = target.s3->Url(region_), .region = region_};
      continue;
    }
    std::string reason = code != CURLE_OK ? (error_[0] != 0 ? std::string(error_.data())
                                                            : ::curl_easy_strerror(code))
                                          : fmt::format("answered {}", status);
    Judgement judgement{.verdict = MayPass(code) ? Verdict::kAskAgain : Verdict::kGiveUp};
    if (status != 0) judgement = JudgeHead(answer.head, {.is_whole = true});
    // 409: another request for the key is on its way.
    if (status == 409) judgement.verdict = Verdict::kAskAgain;
    const std::string said = ErrorInXml(answer.body);
    if (!said.empty()) reason += " (" + said + ")";
    if (status == 412) {
      return Error(StatusCode::kAlreadyExists, "{}: writing: an object is there already", url);
    }
    if (judgement.verdict != Verdict::kAskAgain || tries >= options_.remote.max_tries) {
      return Error(judgement.code, "{}: {}: {} (requests: {})", url, doing, reason, tries);
    }
    const double share = static_cast<double>(random_() % 1024) / 1024;
    const double wait = WaitSeconds(tries, answer.head.retry_after_s, share);
    if (wait > options_.remote.deadline_s) {
      return Error(StatusCode::kIo, "{}: {}: {}; no more than {} s are waited", url, doing, reason,
                   options_.remote.deadline_s);
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
  }
}

Result<std::unique_ptr<S3Writes>> S3Writes::Make(const OpenOptions& options) {
  if (!StartCurl()) return Error(StatusCode::kIo, "libcurl cannot be used");
  CURL* const easy = ::curl_easy_init();
  if (easy == nullptr) return OutOfMemory();
  return std::unique_ptr<S3Writes>(new S3Writes(std::make_unique<Impl>(options, easy)));
}

S3Writes::S3Writes(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
S3Writes::~S3Writes() = default;

Status S3Writes::PutNew(const std::string& url, std::string_view bytes) {
  PutBody body{.text = bytes};
  return impl_->Send(url, &body);
}

Status S3Writes::PutNew(const std::string& url, const RandomAccessFile& file) {
  if (file.size() > kMaxPutBytes) {
    return InvalidArgument(
        "{}: {} bytes, and one object of at most {} can be put; write several "
        "smaller files",
        file.name(), file.size(), kMaxPutBytes);
  }
  PutBody body{.file = &file};
  return impl_->Send(url, &body);
}

Status S3Writes::Delete(const std::string& url) { return impl_->Send(url, nullptr); }

}  // namespace dsi::internal
