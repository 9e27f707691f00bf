// Whether what a thread does is wanted no longer. Waits that may be long, such as those for a
// server, look at it and end with kCancelled; all else goes on to its next end.
//
// Thread safety: Cancel and is_cancelled from any thread. Cancel is for signal handlers too.
#pragma once

#include <atomic>
#include <utility>

namespace dsi::internal {

class Cancellation {
 public:
  // Cancelled as well where the one of this thread is, which outlives it.
  Cancellation() : outer_(Current()) {}
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void Cancel() { is_cancelled_.store(true, std::memory_order_relaxed); }
  bool is_cancelled() const {
    return is_cancelled_.load(std::memory_order_relaxed) ||
           (outer_ != nullptr && outer_->is_cancelled());
  }

  // That of what this thread does; null: nobody can cancel it.
  static const Cancellation* Current() { return current_; }

  // While it lives, this thread works for `of`.
  class Scope {
   public:
    explicit Scope(const Cancellation* of) : before_(std::exchange(current_, of)) {}
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Cancellation* before_;
  };

  // What a thread is to do that works for whom this one works for.
  template <typename Work>
  static auto Inherited(Work work) {
    return [work = std::move(work), of = Current()]() mutable {
      const Scope scope(of);
      work();
    };
  }

 private:
  inline static thread_local const Cancellation* current_ = nullptr;

  const Cancellation* const outer_;
  std::atomic<bool> is_cancelled_ = false;
};

}  // namespace dsi::internal
