#include "dsi/base/fork_safe_mutex_internal.h"

#include <pthread.h>

#include <type_traits>

namespace dsi::internal {

// Never destroyed, as mutexes may belong to objects of static lifetime.
struct AllForkSafeMutexes {
  void Add(ForkSafeMutex* added) {
    const std::lock_guard lock(mutex);
    added->next_ = first;
    if (first != nullptr) first->previous_ = added;
    first = added;
  }

  void Remove(ForkSafeMutex* removed) {
    const std::lock_guard lock(mutex);
    ForkSafeMutex*& before = removed->previous_ != nullptr ? removed->previous_->next_ : first;
    before = removed->next_;
    if (removed->next_ != nullptr) removed->next_->previous_ = removed->previous_;
  }

  void LockAll() {
    mutex.lock();
    for (ForkSafeMutex* m = first; m != nullptr; m = m->next_) m->lock();
  }

  void UnlockAll() {
    for (ForkSafeMutex* m = first; m != nullptr; m = m->next_) m->unlock();
    mutex.unlock();
  }

  std::mutex mutex;
  ForkSafeMutex* first = nullptr;
};

namespace {

static_assert(std::is_trivially_destructible_v<AllForkSafeMutexes>);
constinit AllForkSafeMutexes all;
[[maybe_unused]] const int handlers =
    ::pthread_atfork([] { all.LockAll(); }, [] { all.UnlockAll(); }, [] { all.UnlockAll(); });

}  // namespace

ForkSafeMutex::ForkSafeMutex() { all.Add(this); }

ForkSafeMutex::~ForkSafeMutex() { all.Remove(this); }

}  // namespace dsi::internal
