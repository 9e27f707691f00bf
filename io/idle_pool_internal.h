// Things that reads borrow, one for each thread that reads at the moment, and that are worth
// keeping: connections, rings. No lock: in a process that is forked while another thread holds one
// nobody would ever give it back.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>

namespace dsi::internal {

// T::process() is the process that made it, and alone may use and destroy it.
template <typename T>
class IdlePool {
 public:
  IdlePool() = default;
  ~IdlePool() {
    for (std::atomic<T*>& place : idle_) Drop(place.load());
  }
  IdlePool(const IdlePool&) = delete;
  IdlePool& operator=(const IdlePool&) = delete;

  // Null: none is idle.
  std::unique_ptr<T> Take() {
    for (std::atomic<T*>& place : idle_) {
      T* const taken = place.exchange(nullptr);
      if (taken == nullptr) continue;
      if (taken->process() == ::getpid()) return std::unique_ptr<T>(taken);
      Drop(taken);
    }
    return nullptr;
  }

  // Where all places are taken it is destroyed.
  void Give(std::unique_ptr<T> given) {
    for (std::atomic<T*>& place : idle_) {
      T* empty = nullptr;
      if (place.compare_exchange_strong(empty, given.get())) {
        (void)given.release();
        return;
      }
    }
  }

 private:
  // What belongs to the process that this one was forked from is left as it is: to close its
  // connections would say goodbye to the server in its name.
  static void Drop(T* thing) {
    if (thing != nullptr && thing->process() == ::getpid()) delete thing;
  }

  std::array<std::atomic<T*>, 16> idle_{};
};

}  // namespace dsi::internal
