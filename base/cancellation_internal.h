// Whether what a thread does is wanted no longer. Waits that may be long, such as those for a
// server, look at it and end with kCancelled; all else goes on to its next end.
//
// Thread safety: Cancel and is_cancelled from any thread. Cancel is for signal handlers too.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace dsi::internal {

class Cancellation {
  // Whoever works for it keeps it, and what it is part of.
  struct State {
    explicit State(std::shared_ptr<const State> of) : outer(std::move(of)) {}
    bool IsCancelled() const {
      return flag.load(std::memory_order_relaxed) || (outer != nullptr && outer->IsCancelled());
    }

    const std::shared_ptr<const State> outer;
    std::atomic<bool> flag = false;
  };

 public:
  // Cancelled as well where that is for which this thread works now.
  Cancellation() : state_(std::make_shared<State>(Current())) {}
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void Cancel() { state_->flag.store(true, std::memory_order_relaxed); }
  bool is_cancelled() const { return state_->IsCancelled(); }

  // Of what this thread does.
  static bool IsThreadCancelled() {
    return current_ != nullptr && *current_ != nullptr && (*current_)->IsCancelled();
  }

  // While it lives, this thread works for `of`.
  class Scope {
   public:
    explicit Scope(const Cancellation* of) : Scope(std::shared_ptr<const State>(of->state_)) {}
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class Cancellation;
    explicit Scope(std::shared_ptr<const State> of)
        : of_(std::move(of)), before_(std::exchange(current_, &of_)) {}

    const std::shared_ptr<const State> of_;
    const std::shared_ptr<const State>* const before_;
  };

  // What a thread is to do that works for whom this one works for.
  template <typename Work>
  static auto Inherited(Work work) {
    return [work = std::move(work), of = Current()]() mutable {
      const Scope scope(std::move(of));
      work();
    };
  }

 private:
  static std::shared_ptr<const State> Current() {
    return current_ == nullptr ? nullptr : *current_;
  }

  // A pointer, for what has a destructor may take memory in each thread.
  inline static thread_local const std::shared_ptr<const State>* current_ = nullptr;

  const std::shared_ptr<State> state_;
};

}  // namespace dsi::internal
