// Transfers of libcurl that run together on connections that are kept, and those that wait for
// their turn or their time. What a transfer is, and what comes of it, its users say.
#pragma once

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

struct FreeMulti {
  void operator()(CURLM* multi) const { ::curl_multi_cleanup(multi); }
};
using CurlMulti = std::unique_ptr<CURLM, FreeMulti>;

// Of a clock that is never set.
inline double SteadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// `Slot` is one transfer: easy() is its handle of libcurl, null for want of memory; `is_active`
// says whether it is on its way; `work` is what it does, whose `not_before` is in SteadySeconds().
// Thread safety: one thread at a time. Throws std::bad_alloc.
template <typename Slot>
class TransferQueue {
 public:
  using Work = decltype(Slot::work);

  explicit TransferQueue(CurlMulti multi) : multi_(std::move(multi)) {}
  ~TransferQueue() { Clear(); }
  TransferQueue(const TransferQueue&) = delete;
  TransferQueue& operator=(const TransferQueue&) = delete;

  void PushBack(Work work) { waiting_.push_back(std::move(work)); }
  void PushFront(Work work) { waiting_.push_front(std::move(work)); }
  bool is_empty() const { return num_active_ == 0 && waiting_.empty(); }

  // Those on their way, and those that wait, of which `is_counted` says yes.
  template <typename IsCounted>
  size_t Count(const IsCounted& is_counted) const {
    size_t count = 0;
    for (const Work& work : waiting_) count += is_counted(work) ? 1 : 0;
    return count + CountActive(is_counted);
  }

  template <typename IsCounted>
  size_t CountActive(const IsCounted& is_counted) const {
    size_t count = 0;
    for (const auto& slot : slots_) count += slot->is_active && is_counted(slot->work) ? 1 : 0;
    return count;
  }

  // Status `start`(Work) for each whose time has come, in their order, while fewer than `limit` are
  // on their way. It may Add one; its first error ends it.
  template <typename Start>
  Status StartDue(size_t limit, const Start& start) {
    const double now = SteadySeconds();
    for (size_t i = 0; i < waiting_.size() && num_active_ < limit;) {
      if (waiting_[i].not_before > now) {
        ++i;
        continue;
      }
      Work work = std::move(waiting_[i]);
      waiting_.erase(waiting_.begin() + static_cast<ptrdiff_t>(i));
      DSI_RETURN_IF_ERROR(start(std::move(work)));
    }
    return Status::Ok();
  }

  // One that is not on its way.
  Slot* FreeSlot() {
    for (const auto& slot : slots_) {
      if (!slot->is_active) return slot.get();
    }
    auto slot = std::make_unique<Slot>();
    if (slot->easy() == nullptr) throw std::bad_alloc();
    slots_.push_back(std::move(slot));
    return slots_.back().get();
  }

  // Sends it on its way. `name` is for messages.
  Status Add(Slot* slot, const std::string& name) {
    const CURLMcode code = ::curl_multi_add_handle(multi_.get(), slot->easy());
    if (code != CURLM_OK) return ErrorOf(code, name);
    slot->is_active = true;
    ++num_active_;
    return Status::Ok();
  }

  // Moves bytes, and calls Status `finish`(Slot*, CURLcode) for each that came to its end, up to
  // its first error. Where none did, sleeps until something happens, `longest` seconds went by or
  // `due`() came, which is asked for only then.
  template <typename Finish, typename Due>
  Status Step(const std::string& name, double longest, const Finish& finish, const Due& due) {
    int running = 0;
    if (const CURLMcode code = ::curl_multi_perform(multi_.get(), &running); code != CURLM_OK)
      return ErrorOf(code, name);
    bool has_finished = false;
    int left = 0;
    while (const CURLMsg* const message = ::curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* const easy = message->easy_handle;
      const CURLcode code = message->data.result;
      const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                     [&](const auto& s) { return s->easy() == easy; });
      if (slot == slots_.end()) continue;
      Remove(slot->get());
      has_finished = true;
      DSI_RETURN_IF_ERROR(finish(slot->get(), code));
    }
    if (has_finished) return Status::Ok();
    const double wait = std::clamp(due() - SteadySeconds(), 0.0, longest);
    const int wait_ms = static_cast<int>(wait * 1000) + 1;
    (void)::curl_multi_poll(multi_.get(), nullptr, 0, wait_ms, nullptr);
    return Status::Ok();
  }

  // When the next may start of those that wait; infinity: none before another came to its end.
  double NextDue(size_t limit) const {
    double due = std::numeric_limits<double>::infinity();
    if (num_active_ >= limit) return due;
    for (const Work& work : waiting_) due = std::min(due, work.not_before);
    return due;
  }

  // Whatever is on its way is given up, and its connections with it; nothing waits any more.
  void Clear() {
    for (const auto& slot : slots_) {
      if (slot->is_active) Remove(slot.get());
    }
    waiting_.clear();
  }

 private:
  static Status ErrorOf(CURLMcode code, const std::string& name) {
    return Error(StatusCode::kIo, "{}: libcurl: {}", name, ::curl_multi_strerror(code));
  }

  void Remove(Slot* slot) {
    (void)::curl_multi_remove_handle(multi_.get(), slot->easy());
    slot->is_active = false;
    --num_active_;
  }

  CurlMulti multi_;
  std::vector<std::unique_ptr<Slot>> slots_;
  size_t num_active_ = 0;
  std::deque<Work> waiting_;
};

}  // namespace dsi::internal
