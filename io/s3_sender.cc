#include "dsi/io/s3_sender_internal.h"

#include <curl/curl.h>

#include <new>
#include <optional>
#include <random>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/aws/s3_credentials_internal.h"
#include "dsi/io/http_judge_internal.h"
#include "dsi/io/s3_exchange_internal.h"
#include "dsi/io/transfer_queue_internal.h"

namespace dsi::internal {
namespace {

// Longest sleep while nothing happens: so soon who cancels is heard.
constexpr double kLongestPoll = 0.2;

// A request on its way.
struct Work {
  S3Request* request = nullptr;
  uint32_t redirects = 0;
  bool was_renewed = false;  // The keys that sign it.
  double not_before = 0;
};

struct Slot {
  S3Exchange exchange;
  Work work;
  RemoteTarget target;
  RemotePlace place;
  bool is_active = false;
  CURL* easy() const { return exchange.easy(); }
};

}  // namespace

class S3Sender::Impl {
 public:
  Impl(OpenOptions options, CurlMulti multi)
      : options_(std::move(options)), random_(std::random_device()()), queue_(std::move(multi)) {}

  Status Send(const std::string& url, std::span<S3Request> requests, uint32_t parallel,
              const GoOn& go_on);

 private:
  Status Start(Work work);
  Status Finish(Slot* slot, CURLcode code);
  Status Judge(Slot* slot, CURLcode code);
  bool AdoptRegion(const Slot& slot, Work* work);
  const RemoteOptions& remote() const { return options_.remote; }

  OpenOptions options_;
  std::minstd_rand random_;
  std::string region_;  // Learned from an answer.
  std::string url_;
  std::optional<RemoteTarget> target_;
  TransferQueue<Slot> queue_;
};

Status S3Sender::Impl::Send(const std::string& url, std::span<S3Request> requests,
                            uint32_t parallel, const GoOn& go_on) {
  struct Detacher {
    ~Detacher() { queue->Clear(); }
    TransferQueue<Slot>* queue;
  } const detacher{&queue_};
  url_ = url;
  DSI_ASSIGN_OR_RETURN(target_, S3Target(url, options_.remote, options_.s3));
  for (S3Request& request : requests) queue_.PushBack({.request = &request});
  const auto must_be_answered = [](const Work& work) { return work.request->must_be_answered; };
  while (true) {
    DSI_RETURN_IF_ERROR(queue_.StartDue(parallel, [&](const Work& work) { return Start(work); }));
    if (queue_.is_empty()) return Status::Ok();
    if (go_on && queue_.CountActive(must_be_answered) == 0 && !go_on())
      return Error(StatusCode::kCancelled, "{}: {} was cancelled", url, requests[0].doing);
    DSI_RETURN_IF_ERROR(queue_.Step(
        url, kLongestPoll, [&](Slot* slot, CURLcode code) { return Finish(slot, code); },
        [&] { return queue_.NextDue(parallel); }));
  }
}

Status S3Sender::Impl::Start(Work work) {
  Slot* const slot = queue_.FreeSlot();
  slot->work = work;
  slot->target = *target_;
  if (!work.request->query.empty()) slot->target.s3->query = "?" + work.request->query;
  const std::string& region = region_.empty() ? target_->origin.region : region_;
  slot->place = {.url = slot->target.s3->Url(region), .region = region};
  DSI_RETURN_IF_ERROR(slot->exchange.Prepare(slot->target, slot->place, work.request));
  DSI_RETURN_IF_ERROR(queue_.Add(slot, url_));
  ++work.request->tries;
  return Status::Ok();
}

Status S3Sender::Impl::Finish(Slot* slot, CURLcode code) {
  if (slot->exchange.is_out_of_memory() || code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  DSI_RETURN_IF_ERROR(slot->exchange.failure());
  const S3Request& request = *slot->work.request;
  const int status = code == CURLE_OK ? request.head.status : 0;
  const bool is_gone = status == 404 && request.method == "DELETE";
  // What takes long is answered 200 before it is known how it ends.
  const bool is_done = status >= 200 && status < 300 && ErrorInXml(request.body).empty();
  if (is_done || is_gone) return Status::Ok();
  if (status == 412) {
    return Error(StatusCode::kAlreadyExists, "{}: {}: an object is there already", url_,
                 request.doing);
  }
  if (AdoptRegion(*slot, &slot->work)) {
    queue_.PushFront(slot->work);
    return Status::Ok();
  }
  return Judge(slot, code);
}

// Of what was not done: tried again, or an error.
Status S3Sender::Impl::Judge(Slot* slot, CURLcode code) {
  Work work = slot->work;
  const S3Request& request = *work.request;
  const int status = code == CURLE_OK ? request.head.status : 0;
  std::string reason =
      code == CURLE_OK ? fmt::format("answered {}", status) : slot->exchange.ErrorOf(code);
  Judgement judgement{.verdict = MayPass(code) ? Verdict::kAskAgain : Verdict::kGiveUp};
  if (status != 0) judgement = JudgeHead(request.head, {.is_whole = true});
  // 409: another request for the key is on its way; 200 with an error: it went wrong over there.
  if (status == 409 || status / 100 == 2) judgement.verdict = Verdict::kAskAgain;
  const std::string said = ErrorInXml(request.body);
  if (!said.empty()) reason += " (" + said + ")";
  const AwsKeys* const keys = slot->exchange.keys();
  if (keys != nullptr && IsAboutExpiry(said) && !work.was_renewed) {
    work.was_renewed = true;
    const auto renewed = slot->target.s3->credentials->Renew(keys);
    if (renewed.ok()) {
      queue_.PushFront(work);
      return Status::Ok();
    }
    reason += "; " + renewed.status().message();
  }
  if (status == 401 || status == 403) reason += WhoAsked(keys);
  if (judgement.verdict != Verdict::kAskAgain || request.tries >= remote().max_tries) {
    const StatusCode failed =
        judgement.verdict == Verdict::kGiveUp ? judgement.code : StatusCode::kIo;
    return Error(failed, "{}: {}: {} (requests: {})", url_, request.doing, reason, request.tries);
  }
  const double share = static_cast<double>(random_() % 1024) / 1024;
  const double wait = WaitSeconds(request.tries, request.head.retry_after_s, share);
  if (wait > remote().deadline_s) {
    return Error(StatusCode::kIo, "{}: {}: {}; no more than {} s are waited", url_, request.doing,
                 reason, remote().deadline_s);
  }
  work.not_before = SteadySeconds() + wait;
  queue_.PushBack(work);
  return Status::Ok();
}

bool S3Sender::Impl::AdoptRegion(const Slot& slot, Work* work) {
  const HttpAnswer& head = work->request->head;
  if (head.status < 300 || head.bucket_region.empty() || !IsRegion(head.bucket_region))
    return false;
  if (head.bucket_region == slot.place.region || work->redirects >= remote().max_redirects)
    return false;
  ++work->redirects;
  region_ = head.bucket_region;
  return true;
}

Result<std::unique_ptr<S3Sender>> S3Sender::Make(const OpenOptions& options) {
  if (!StartCurl()) return Error(StatusCode::kIo, "libcurl cannot be used");
  CurlMulti multi(::curl_multi_init());
  if (multi == nullptr) return OutOfMemory();
  OpenOptions shared = options;
  ShareCredentials(&shared);
  return std::unique_ptr<S3Sender>(
      new S3Sender(std::make_unique<Impl>(std::move(shared), std::move(multi))));
}

S3Sender::S3Sender(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
S3Sender::~S3Sender() = default;

Status S3Sender::Send(const std::string& url, std::span<S3Request> requests, uint32_t parallel,
                      const GoOn& go_on) {
  return impl_->Send(url, requests, parallel, go_on);
}

}  // namespace dsi::internal
