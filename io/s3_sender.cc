#include "dsi/io/s3_sender_internal.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <new>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/aws/s3_credentials_internal.h"
#include "dsi/io/http_judge_internal.h"
#include "dsi/io/s3_exchange_internal.h"

namespace dsi::internal {
namespace {

// Longest sleep while nothing happens: so soon who cancels is heard.
constexpr double kLongestPoll = 0.2;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A request on its way.
struct Work {
  S3Request* request = nullptr;
  uint32_t redirects = 0;
  bool was_renewed = false;  // The keys that sign it.
  double not_before = 0;
};

}  // namespace

class S3Sender::Impl {
 public:
  struct FreeMulti {
    void operator()(CURLM* multi) const { ::curl_multi_cleanup(multi); }
  };
  using Multi = std::unique_ptr<CURLM, FreeMulti>;

  Impl(OpenOptions options, Multi multi)
      : options_(std::move(options)), multi_(std::move(multi)), random_(std::random_device()()) {}
  ~Impl() { Detach(); }

  Status Send(const std::string& url, std::span<S3Request> requests, uint32_t parallel,
              const GoOn& go_on);

 private:
  struct Slot {
    S3Exchange exchange;
    Work work;
    RemoteTarget target;
    RemotePlace place;
    bool is_active = false;
  };

  Status StartDue(uint32_t parallel);
  Status Start(Work work);
  Status FinishAll();
  Status Finish(Slot* slot, CURLcode code);
  Status Judge(Slot* slot, CURLcode code);
  bool AdoptRegion(const Slot& slot, Work* work);
  Slot* FreeSlot();
  double NextDue(uint32_t parallel) const;
  bool MayStop() const;
  void Detach();
  const RemoteOptions& remote() const { return options_.remote; }

  OpenOptions options_;
  Multi multi_;
  std::minstd_rand random_;
  std::string region_;  // Learned from an answer.
  std::vector<std::unique_ptr<Slot>> slots_;
  uint32_t num_active_ = 0;
  std::string url_;
  std::optional<RemoteTarget> target_;
  std::deque<Work> waiting_;
};

Status S3Sender::Impl::Send(const std::string& url, std::span<S3Request> requests,
                            uint32_t parallel, const GoOn& go_on) {
  struct Detacher {
    ~Detacher() { impl->Detach(); }
    Impl* impl;
  } const detacher{this};
  url_ = url;
  DSI_ASSIGN_OR_RETURN(target_, S3Target(url, options_.remote, options_.s3));
  for (S3Request& request : requests) waiting_.push_back({.request = &request});
  while (true) {
    DSI_RETURN_IF_ERROR(StartDue(parallel));
    if (num_active_ == 0 && waiting_.empty()) return Status::Ok();
    if (go_on && MayStop() && !go_on())
      return Error(StatusCode::kCancelled, "{}: {} was cancelled", url, requests[0].doing);
    int running = 0;
    if (const CURLMcode code = ::curl_multi_perform(multi_.get(), &running); code != CURLM_OK)
      return Error(StatusCode::kIo, "{}: libcurl: {}", url, ::curl_multi_strerror(code));
    const uint32_t before = num_active_;
    DSI_RETURN_IF_ERROR(FinishAll());
    if (num_active_ != before) continue;
    const double wait = std::clamp(NextDue(parallel) - Now(), 0.0, kLongestPoll);
    const int wait_ms = static_cast<int>(wait * 1000) + 1;
    (void)::curl_multi_poll(multi_.get(), nullptr, 0, wait_ms, nullptr);
  }
}

// Whatever is in flight is given up, and its connections with it.
void S3Sender::Impl::Detach() {
  for (const auto& slot : slots_) {
    if (slot->is_active) (void)::curl_multi_remove_handle(multi_.get(), slot->exchange.easy());
    slot->is_active = false;
  }
  num_active_ = 0;
  waiting_.clear();
}

double S3Sender::Impl::NextDue(uint32_t parallel) const {
  double due = Now() + kLongestPoll;
  if (num_active_ >= parallel) return due;
  for (const Work& work : waiting_) due = std::min(due, work.not_before);
  return due;
}

bool S3Sender::Impl::MayStop() const {
  return std::none_of(slots_.begin(), slots_.end(), [](const auto& slot) {
    return slot->is_active && slot->work.request->must_be_answered;
  });
}

S3Sender::Impl::Slot* S3Sender::Impl::FreeSlot() {
  for (const auto& slot : slots_) {
    if (!slot->is_active) return slot.get();
  }
  slots_.push_back(std::make_unique<Slot>());
  if (slots_.back()->exchange.easy() == nullptr) {
    slots_.pop_back();
    throw std::bad_alloc();
  }
  return slots_.back().get();
}

Status S3Sender::Impl::StartDue(uint32_t parallel) {
  const double now = Now();
  for (size_t i = 0; i < waiting_.size() && num_active_ < parallel;) {
    if (waiting_[i].not_before > now) {
      ++i;
      continue;
    }
    const Work work = waiting_[i];
    waiting_.erase(waiting_.begin() + static_cast<ptrdiff_t>(i));
    DSI_RETURN_IF_ERROR(Start(work));
  }
  return Status::Ok();
}

Status S3Sender::Impl::Start(Work work) {
  Slot* const slot = FreeSlot();
  slot->work = work;
  slot->target = *target_;
  if (!work.request->query.empty()) slot->target.s3->query = "?" + work.request->query;
  const std::string& region = region_.empty() ? target_->origin.region : region_;
  slot->place = {.url = slot->target.s3->Url(region), .region = region};
  DSI_RETURN_IF_ERROR(slot->exchange.Prepare(slot->target, slot->place, work.request));
  const CURLMcode code = ::curl_multi_add_handle(multi_.get(), slot->exchange.easy());
  if (code != CURLM_OK)
    return Error(StatusCode::kIo, "{}: libcurl: {}", url_, ::curl_multi_strerror(code));
  ++work.request->tries;
  slot->is_active = true;
  ++num_active_;
  return Status::Ok();
}

Status S3Sender::Impl::FinishAll() {
  int left = 0;
  while (const CURLMsg* const message = ::curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;
    const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                   [&](const auto& s) { return s->exchange.easy() == easy; });
    if (slot == slots_.end()) continue;
    DSI_RETURN_IF_ERROR(Finish(slot->get(), code));
  }
  return Status::Ok();
}

Status S3Sender::Impl::Finish(Slot* slot, CURLcode code) {
  (void)::curl_multi_remove_handle(multi_.get(), slot->exchange.easy());
  slot->is_active = false;
  --num_active_;
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
    waiting_.push_front(slot->work);
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
      waiting_.push_front(work);
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
  work.not_before = Now() + wait;
  waiting_.push_back(work);
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
  Impl::Multi multi(::curl_multi_init());
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
