// Locks that no fork leaves taken for good in the child.
#pragma once

#include <mutex>

namespace dsi::internal {

// A mutex for short sections. fork() waits until it holds every one of them, so that in the child
// none belongs to a thread that is not there, and what they guard is whole. Under one nothing may
// be locked, read, waited for or called back, and no block memory taken or given back, as large
// counted vectors do: a fork that holds what such a section waits for would never end.
class ForkSafeMutex {
 public:
  ForkSafeMutex();
  ~ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

  // For std::lock_guard.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  friend struct AllForkSafeMutexes;

  std::mutex mutex_;
  ForkSafeMutex* previous_ = nullptr;
  ForkSafeMutex* next_ = nullptr;
};

}  // namespace dsi::internal
