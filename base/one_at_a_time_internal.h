// Turns at work that is worth doing once: opening a file, reading what is the same for all.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "dsi/base/status.h"

namespace dsi::internal {

// One thread at a time has the turn; others wait and then find its work done. Turns guard no data:
// what is made in one is handed on under a lock of its own. They are those of one process: in a
// child that was forked while a thread had the turn nobody has it.
class OneAtATime {
  struct Turns;

 public:
  // Held until it is destroyed.
  class Turn {
   public:
    Turn(Turn&&) = default;
    Turn& operator=(Turn&&) = default;
    ~Turn();

   private:
    friend class OneAtATime;
    Turn(Turns* turns);

    struct End {
      void operator()(Turns* turns) const;
    };
    std::unique_ptr<Turns, End> turns_;
  };

  OneAtATime() = default;
  ~OneAtATime();
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

  // Waits for it. InvalidArgument: the caller has it, as a function that `what` calls would, and
  // would wait for itself.
  Result<Turn> Wait(std::string_view what);

 private:
  Turns* OfThisProcess();

  std::atomic<Turns*> turns_ = nullptr;
};

}  // namespace dsi::internal
