#include "dsi/io/range_transfers_internal.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/curl_request_internal.h"

namespace dsi::internal {
namespace {

// Of a server that was never reached: most likely its name is wrong.
constexpr uint32_t kTriesToReach = 4;
// Longest sleep while nothing happens.
constexpr double kLongestPoll = 1;
// What is optional may come so much later than all else.
constexpr double kGrace = 0.01;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A range on its way.
struct Work {
  RangeFetch* fetch = nullptr;
  RemotePlace place;
  uint64_t done = 0;
  uint32_t tries = 0;     // Requests, those that were redirected not counted.
  uint32_t failures = 0;  // Since bytes last came.
  uint32_t redirects = 0;
  bool went_back = false;
  bool was_renewed = false;  // The keys that sign it.
  double started = 0;        // 0: not yet.
  double not_before = 0;
};

}  // namespace

class RangeTransfers::Impl {
 public:
  struct FreeMulti {
    void operator()(CURLM* multi) const { ::curl_multi_cleanup(multi); }
  };
  using Multi = std::unique_ptr<CURLM, FreeMulti>;

  Impl(const RemoteTarget* target, Multi multi)
      : target_(target),
        multi_(std::move(multi)),
        place_(target->place),
        random_(std::random_device()()) {}
  ~Impl() { Detach(); }

  Status Run(const RemoteIdentity* identity, std::span<RangeFetch> fetches);
  const RemotePlace& place() const { return place_; }
  void GoTo(RemotePlace place) { place_ = std::move(place); }

 private:
  struct Slot {
    CurlRequest request;
    Work work;
    bool is_active = false;
  };

  void StartDue();
  Status Start(Work work);
  void Finish(Slot* slot, CURLcode code);
  void FinishBody(Slot* slot, CURLcode code);
  void FinishRefused(Slot* slot);
  void TryAgain(Work work, const std::string& reason, std::optional<uint64_t> retry_after_s,
                uint32_t max_tries);
  void Redirect(Slot* slot);
  bool AdoptRegion(const HttpAnswer& answer, Work* work) const;
  void GiveUp(const Work& work, StatusCode code, const std::string& reason);
  Slot* FreeSlot();
  double NextDue() const;
  size_t NumRequired() const;
  void Detach();
  const RemoteOptions& options() const { return target_->options; }

  const RemoteTarget* target_;
  Multi multi_;
  RemotePlace place_;
  std::minstd_rand random_;
  std::vector<std::unique_ptr<Slot>> slots_;
  size_t num_active_ = 0;
  const RemoteIdentity* identity_ = nullptr;
  std::deque<Work> waiting_;
  Status first_error_;
};

Status RangeTransfers::Impl::Run(const RemoteIdentity* identity, std::span<RangeFetch> fetches) {
  struct Detacher {
    ~Detacher() { impl->Detach(); }
    Impl* impl;
  } const detacher{this};
  identity_ = identity;
  first_error_ = Status::Ok();
  waiting_.clear();
  for (RangeFetch& fetch : fetches) waiting_.push_back({.fetch = &fetch, .place = place_});
  const bool stops_at_error = identity != nullptr;
  double grace_end = 0;
  while (true) {
    StartDue();
    if (stops_at_error && !first_error_.ok()) return first_error_;
    if (num_active_ == 0 && waiting_.empty()) return Status::Ok();
    if (NumRequired() != 0) {
      grace_end = Now() + kGrace;
    } else if (Now() > grace_end) {
      return Status::Ok();
    }
    int running = 0;
    if (const CURLMcode code = ::curl_multi_perform(multi_.get(), &running); code != CURLM_OK) {
      return Error(StatusCode::kIo, "{}: libcurl: {}", target_->name, ::curl_multi_strerror(code));
    }
    bool has_finished = false;
    int left = 0;
    while (const CURLMsg* const message = ::curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* const easy = message->easy_handle;
      const CURLcode code = message->data.result;
      const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                     [&](const auto& s) { return s->request.easy() == easy; });
      if (slot == slots_.end()) continue;
      Finish(slot->get(), code);
      has_finished = true;
    }
    if (has_finished) continue;
    const double due = NumRequired() != 0 ? NextDue() : grace_end;
    const double wait = std::clamp(due - Now(), 0.0, kLongestPoll);
    const int wait_ms = static_cast<int>(wait * 1000) + 1;
    (void)::curl_multi_poll(multi_.get(), nullptr, 0, wait_ms, nullptr);
  }
}

// Whatever is in flight is given up, and its connections with it.
void RangeTransfers::Impl::Detach() {
  for (const auto& slot : slots_) {
    if (slot->is_active) (void)::curl_multi_remove_handle(multi_.get(), slot->request.easy());
    slot->is_active = false;
  }
  num_active_ = 0;
  waiting_.clear();
}

double RangeTransfers::Impl::NextDue() const {
  double due = Now() + kLongestPoll;
  if (num_active_ == options().connections) return due;
  for (const Work& work : waiting_) due = std::min(due, work.not_before);
  return due;
}

// Of those that are to be waited for.
size_t RangeTransfers::Impl::NumRequired() const {
  size_t count = 0;
  for (const Work& work : waiting_) count += work.fetch->is_optional ? 0 : 1;
  for (const auto& slot : slots_)
    count += slot->is_active && !slot->work.fetch->is_optional ? 1 : 0;
  return count;
}

RangeTransfers::Impl::Slot* RangeTransfers::Impl::FreeSlot() {
  for (const auto& slot : slots_) {
    if (!slot->is_active) return slot.get();
  }
  slots_.push_back(std::make_unique<Slot>());
  if (slots_.back()->request.easy() == nullptr) {
    slots_.pop_back();
    throw std::bad_alloc();
  }
  return slots_.back().get();
}

void RangeTransfers::Impl::StartDue() {
  const double now = Now();
  for (size_t i = 0; i < waiting_.size() && num_active_ < options().connections;) {
    if (waiting_[i].not_before > now) {
      ++i;
      continue;
    }
    Work work = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<ptrdiff_t>(i));
    if (work.started == 0) work.started = now;
    Status status = Start(work);
    if (!status.ok()) {
      work.fetch->status = status;
      if (first_error_.ok()) first_error_ = std::move(status);
    }
  }
}

Status RangeTransfers::Impl::Start(Work work) {
  Slot* const slot = FreeSlot();
  const RangeFetch& fetch = *work.fetch;
  const RangeAsked asked{.offset = fetch.offset + work.done,
                         .size = fetch.size - work.done,
                         .from_end = fetch.from_end,
                         .is_whole = fetch.is_whole,
                         .identity = identity_};
  const double left = work.started + options().deadline_s - Now();
  DSI_RETURN_IF_ERROR(slot->request.Prepare(*target_, work.place, asked, {fetch.parts, work.done},
                                            std::max(left, 0.001)));
  const CURLMcode code = ::curl_multi_add_handle(multi_.get(), slot->request.easy());
  if (code != CURLM_OK) {
    return Error(StatusCode::kIo, "{}: libcurl: {}", target_->name, ::curl_multi_strerror(code));
  }
  ++work.tries;
  slot->work = std::move(work);
  slot->is_active = true;
  ++num_active_;
  return Status::Ok();
}

void RangeTransfers::Impl::Finish(Slot* slot, CURLcode code) {
  (void)::curl_multi_remove_handle(multi_.get(), slot->request.easy());
  slot->is_active = false;
  --num_active_;
  const CurlRequest& request = slot->request;
  Work& work = slot->work;
  if (request.is_out_of_memory() || code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (const Judgement* judgement = request.judgement()) {
    if (judgement->verdict == Verdict::kTakeBody) return FinishBody(slot, code);
    return FinishRefused(slot);
  }
  const std::string reason = code == CURLE_OK ? std::string("no answer") : request.ErrorOf(code);
  if (code != CURLE_OK && !MayPass(code)) return GiveUp(work, StatusCode::kIo, reason);
  const bool was_reached = identity_ != nullptr || !IsUnreachable(code);
  const uint32_t max_tries =
      was_reached ? options().max_tries : std::min(options().max_tries, kTriesToReach);
  TryAgain(std::move(work), reason, std::nullopt, max_tries);
}

void RangeTransfers::Impl::FinishBody(Slot* slot, CURLcode code) {
  const CurlRequest& request = slot->request;
  Work& work = slot->work;
  RangeFetch& fetch = *work.fetch;
  const ContentRange& range = request.judgement()->range;
  const bool is_open_ended = fetch.is_whole && !request.answer().content_length;
  if (is_open_ended && request.has_too_much()) {
    return GiveUp(work, StatusCode::kIo, fmt::format("more than {} bytes came", fetch.size));
  }
  if (is_open_ended && code == CURLE_OK) {
    place_ = work.place;
    fetch.range = {.begin = 0, .end = request.received(), .total = request.received()};
    return;
  }
  const uint64_t size = range.end - range.begin;
  // All that was announced is there, whatever libcurl makes of its end.
  if (request.received() == size && !request.has_too_much()) {
    place_ = work.place;
    if (identity_ == nullptr || work.done + size == fetch.size) {
      fetch.range = range;
      fetch.answer = request.answer();
      return;
    }
    // Less than was asked for, and rightly so.
  }
  const std::string reason =
      request.has_too_much() ? fmt::format("more than the {} bytes that were announced came", size)
                             : fmt::format("{} of {} bytes came{}{}", request.received(), size,
                                           code == CURLE_OK ? "" : ": ",
                                           code == CURLE_OK ? "" : request.ErrorOf(code));
  if (identity_ != nullptr && request.received() > 0 && !request.has_too_much()) {
    work.done += request.received();
    work.failures = 0;
  }
  TryAgain(std::move(work), reason, std::nullopt, options().max_tries);
}

void RangeTransfers::Impl::FinishRefused(Slot* slot) {
  const CurlRequest& request = slot->request;
  const HttpAnswer& answer = request.answer();
  const Judgement& judgement = *request.judgement();
  Work& work = slot->work;
  if (AdoptRegion(answer, &work)) {
    waiting_.push_front(std::move(work));
    return;
  }
  if (judgement.verdict == Verdict::kGoElsewhere) return Redirect(slot);
  std::string reason = judgement.reason;
  const std::string said = request.ErrorInBody();
  if (!said.empty()) reason += " (" + said + ")";
  if (request.keys() != nullptr && IsAboutExpiry(said) && !work.was_renewed) {
    work.was_renewed = true;
    const auto renewed = target_->s3->credentials->Renew(request.keys());
    if (!renewed.ok())
      return GiveUp(work, StatusCode::kIo, reason + "; " + renewed.status().message());
    waiting_.push_front(std::move(work));
    return;
  }
  if (judgement.verdict == Verdict::kAskAgain) {
    return TryAgain(std::move(work), reason, answer.retry_after_s, options().max_tries);
  }
  // Where a redirection led to may be good for some time only: the origin is asked once more.
  const bool may_be_over = answer.status >= 400 && answer.status <= 410;
  if (may_be_over && identity_ != nullptr && !work.went_back &&
      work.place.url != target_->origin.url) {
    work.went_back = true;
    work.redirects = 0;
    work.place = target_->origin;
    waiting_.push_front(std::move(work));
    return;
  }
  work.fetch->ignores_ranges = judgement.ignores_ranges;
  if (target_->s3 && (answer.status == 401 || answer.status == 403))
    reason += WhoAsked(request.keys());
  GiveUp(work, judgement.code, reason);
}

// A bucket elsewhere is told by S3 with the name of its region, not always with a place to go to.
bool RangeTransfers::Impl::AdoptRegion(const HttpAnswer& answer, Work* work) const {
  if (!target_->s3 || answer.bucket_region.empty() || answer.status < 300) return false;
  if (answer.bucket_region == work->place.region || !IsRegion(answer.bucket_region)) return false;
  if (work->redirects >= options().max_redirects) return false;
  ++work->redirects;
  work->place = {.url = target_->s3->Url(answer.bucket_region), .region = answer.bucket_region};
  return true;
}

void RangeTransfers::Impl::Redirect(Slot* slot) {
  Work& work = slot->work;
  const std::string url = slot->request.RedirectUrl();
  const std::string& answered = slot->request.judgement()->reason;
  if (url.empty()) return GiveUp(work, StatusCode::kIo, answered + " without a place to go to");
  if (work.redirects >= options().max_redirects) {
    return GiveUp(work, StatusCode::kIo,
                  fmt::format("redirected more than {} times", options().max_redirects));
  }
  if (IsDowngrade(work.place.url, url)) {
    return GiveUp(work, StatusCode::kIo, "redirected from https to something else");
  }
  ++work.redirects;
  work.place.url = url;
  waiting_.push_front(std::move(work));
}

void RangeTransfers::Impl::TryAgain(Work work, const std::string& reason,
                                    std::optional<uint64_t> retry_after_s, uint32_t max_tries) {
  ++work.failures;
  if (work.failures >= max_tries || work.fetch->is_optional)
    return GiveUp(work, StatusCode::kIo, reason);
  const double random = static_cast<double>(random_() % 1024) / 1024;
  const double now = Now();
  work.not_before = now + WaitSeconds(work.failures, retry_after_s, random);
  if (work.not_before - work.started > options().deadline_s) {
    return GiveUp(work, StatusCode::kIo,
                  fmt::format("{}; no more than {} s are waited", reason, options().deadline_s));
  }
  waiting_.push_back(std::move(work));
}

void RangeTransfers::Impl::GiveUp(const Work& work, StatusCode code, const std::string& reason) {
  RangeFetch& fetch = *work.fetch;
  const std::string what =
      fetch.is_whole         ? "listing"
      : identity_ == nullptr ? "opening"
                             : fmt::format("bytes {}..{}", fetch.offset, fetch.offset + fetch.size);
  const std::string tried = work.tries > 1 ? fmt::format(" (requests: {}, within {:.1f} s)",
                                                         work.tries, Now() - work.started)
                                           : "";
  fetch.status = Error(code, "{}: {}: {}{}", target_->name, what, reason, tried);
  if (first_error_.ok()) first_error_ = fetch.status;
}

Result<std::unique_ptr<RangeTransfers>> RangeTransfers::Make(const RemoteTarget* target) {
  if (!StartCurl()) return Error(StatusCode::kIo, "{}: libcurl cannot be used", target->name);
  Impl::Multi multi(::curl_multi_init());
  if (multi == nullptr) return OutOfMemory();
  // By itself libcurl keeps four times as many connections as transfers run at the moment.
  const auto kept = static_cast<long>(target->options.connections);
  (void)::curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kept);
  auto impl = std::make_unique<Impl>(target, std::move(multi));
  return std::unique_ptr<RangeTransfers>(new RangeTransfers(std::move(impl), ::getpid()));
}

RangeTransfers::RangeTransfers(std::unique_ptr<Impl> impl, int process)
    : impl_(std::move(impl)), process_(process) {}
RangeTransfers::~RangeTransfers() = default;

Status RangeTransfers::Run(const RemoteIdentity* identity, std::span<RangeFetch> fetches) {
  return impl_->Run(identity, fetches);
}

const RemotePlace& RangeTransfers::place() const { return impl_->place(); }
void RangeTransfers::GoTo(RemotePlace place) { impl_->GoTo(std::move(place)); }

}  // namespace dsi::internal
