#include "dsi/io/range_transfers_internal.h"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <random>
#include <utility>

#include "dsi/base/cancellation_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/curl_request_internal.h"
#include "dsi/io/transfer_queue_internal.h"

namespace dsi::internal {
namespace {

// Of a server that was never reached: most likely its name is wrong.
constexpr uint32_t kTriesToReach = 4;
// Longest sleep while nothing happens.
constexpr double kLongestPoll = 0.1;
// What is optional may come so much later than all else.
constexpr double kGrace = 0.01;

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

struct Slot {
  CurlRequest request;
  Work work;
  bool is_active = false;
  CURL* easy() const { return request.easy(); }
};

}  // namespace

class RangeTransfers::Impl {
 public:
  Impl(const RemoteTarget* target, CurlMulti multi)
      : target_(target),
        place_(target->place),
        random_(std::random_device()()),
        queue_(std::move(multi)) {}

  Status Run(const RemoteIdentity* identity, std::span<RangeFetch> fetches);
  const RemotePlace& place() const { return place_; }
  void GoTo(RemotePlace place) { place_ = std::move(place); }

 private:
  Status Start(Work work);
  void Finish(Slot* slot, CURLcode code);
  void FinishBody(Slot* slot, CURLcode code);
  void FinishRefused(Slot* slot);
  void TryAgain(Work work, const std::string& reason, std::optional<uint64_t> retry_after_s,
                uint32_t max_tries);
  void Redirect(Slot* slot);
  bool AdoptRegion(const HttpAnswer& answer, Work* work) const;
  void GiveUp(const Work& work, StatusCode code, const std::string& reason);
  const RemoteOptions& options() const { return target_->options; }

  const RemoteTarget* target_;
  RemotePlace place_;
  std::minstd_rand random_;
  const RemoteIdentity* identity_ = nullptr;
  TransferQueue<Slot> queue_;
  Status first_error_;
};

Status RangeTransfers::Impl::Run(const RemoteIdentity* identity, std::span<RangeFetch> fetches) {
  struct Detacher {
    ~Detacher() { queue->Clear(); }
    TransferQueue<Slot>* queue;
  } const detacher{&queue_};
  identity_ = identity;
  first_error_ = Status::Ok();
  for (RangeFetch& fetch : fetches) queue_.PushBack({.fetch = &fetch, .place = place_});
  const bool stops_at_error = identity != nullptr;
  const auto is_required = [](const Work& work) { return !work.fetch->is_optional; };
  double grace_end = 0;
  while (true) {
    if (Cancellation::IsThreadCancelled())
      return Error(StatusCode::kCancelled, "{}: reading was cancelled", target_->name);
    DSI_RETURN_IF_ERROR(queue_.StartDue(options().connections, [&](const Work& work) {
      work.fetch->status = Start(work);
      if (first_error_.ok()) first_error_ = work.fetch->status;
      return Status::Ok();
    }));
    if (stops_at_error && !first_error_.ok()) return first_error_;
    if (queue_.is_empty()) return Status::Ok();
    if (queue_.Count(is_required) != 0) {
      grace_end = SteadySeconds() + kGrace;
    } else if (SteadySeconds() > grace_end) {
      return Status::Ok();
    }
    const auto finish = [&](Slot* slot, CURLcode code) {
      Finish(slot, code);
      return Status::Ok();
    };
    const auto due = [&] {
      return queue_.Count(is_required) != 0 ? queue_.NextDue(options().connections) : grace_end;
    };
    DSI_RETURN_IF_ERROR(queue_.Step(target_->name, kLongestPoll, finish, due));
  }
}

Status RangeTransfers::Impl::Start(Work work) {
  if (work.started == 0) work.started = SteadySeconds();
  Slot* const slot = queue_.FreeSlot();
  const RangeFetch& fetch = *work.fetch;
  const RangeAsked asked{.offset = fetch.offset + work.done,
                         .size = fetch.size - work.done,
                         .from_end = fetch.from_end,
                         .is_whole = fetch.is_whole,
                         .identity = identity_};
  const double left = work.started + options().deadline_s - SteadySeconds();
  DSI_RETURN_IF_ERROR(slot->request.Prepare(*target_, work.place, asked, {fetch.parts, work.done},
                                            std::max(left, 0.001)));
  DSI_RETURN_IF_ERROR(queue_.Add(slot, target_->name));
  ++work.tries;
  slot->work = std::move(work);
  return Status::Ok();
}

void RangeTransfers::Impl::Finish(Slot* slot, CURLcode code) {
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
    queue_.PushFront(std::move(work));
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
    queue_.PushFront(std::move(work));
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
    queue_.PushFront(std::move(work));
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
  queue_.PushFront(std::move(work));
}

void RangeTransfers::Impl::TryAgain(Work work, const std::string& reason,
                                    std::optional<uint64_t> retry_after_s, uint32_t max_tries) {
  ++work.failures;
  if (work.failures >= max_tries || work.fetch->is_optional)
    return GiveUp(work, StatusCode::kIo, reason);
  const double random = static_cast<double>(random_() % 1024) / 1024;
  const double now = SteadySeconds();
  work.not_before = now + WaitSeconds(work.failures, retry_after_s, random);
  if (work.not_before - work.started > options().deadline_s) {
    return GiveUp(work, StatusCode::kIo,
                  fmt::format("{}; no more than {} s are waited", reason, options().deadline_s));
  }
  queue_.PushBack(std::move(work));
}

void RangeTransfers::Impl::GiveUp(const Work& work, StatusCode code, const std::string& reason) {
  RangeFetch& fetch = *work.fetch;
  const std::string what =
      fetch.is_whole         ? "listing"
      : identity_ == nullptr ? "opening"
                             : fmt::format("bytes {}..{}", fetch.offset, fetch.offset + fetch.size);
  const std::string tried = work.tries > 1 ? fmt::format(" (requests: {}, within {:.1f} s)",
                                                         work.tries, SteadySeconds() - work.started)
                                           : "";
  fetch.status = Error(code, "{}: {}: {}{}", target_->name, what, reason, tried);
  if (first_error_.ok()) first_error_ = fetch.status;
}

Result<std::unique_ptr<RangeTransfers>> RangeTransfers::Make(const RemoteTarget* target) {
  if (!StartCurl()) return Error(StatusCode::kIo, "{}: libcurl cannot be used", target->name);
  CurlMulti multi(::curl_multi_init());
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
