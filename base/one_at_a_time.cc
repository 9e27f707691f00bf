#include "dsi/base/one_at_a_time_internal.h"

#include <unistd.h>

#include "dsi/base/error_internal.h"

namespace dsi::internal {

struct OneAtATime::Turns {
  const pid_t process = ::getpid();
  std::mutex mutex;
  std::atomic<std::thread::id> holder;
};

void OneAtATime::Turn::End::operator()(Turns* turns) const {
  if (turns->process != ::getpid()) return;  // Forked with the turn: it was the parent's.
  turns->holder = std::thread::id();
  turns->mutex.unlock();
}

OneAtATime::Turn::Turn(Turns* turns) : turns_(turns) {}
OneAtATime::Turn::~Turn() = default;

OneAtATime::~OneAtATime() {
  Turns* const turns = turns_.load();
  if (turns != nullptr && turns->process == ::getpid()) delete turns;
}

OneAtATime::Turns* OneAtATime::OfThisProcess() {
  Turns* turns = turns_.load();
  // Those of the process that this one was forked from are left as they are: some may be waited
  // for.
  while (turns == nullptr || turns->process != ::getpid()) {
    auto mine = std::make_unique<Turns>();
    if (turns_.compare_exchange_strong(turns, mine.get())) return mine.release();
  }
  return turns;
}

Result<OneAtATime::Turn> OneAtATime::Wait(std::string_view what) {
  Turns* const turns = OfThisProcess();
  if (turns->holder == std::this_thread::get_id())
    return InvalidArgument("{} was asked for by a function that is called while it is made", what);
  turns->mutex.lock();
  turns->holder = std::this_thread::get_id();
  return Turn(turns);
}

}  // namespace dsi::internal
