#include "dsi/tools/interrupt_internal.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "dsi/base/cancellation_internal.h"

namespace dsi::tools {
namespace {

// A handler can reach nothing but objects of static storage.
std::atomic<int> caught_signal{0};
std::atomic<int> empty_input{-1};
internal::Cancellation cancellation;
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(kSignalOfCtrlC == SIGINT);

void OnSignal(int signal) {
  int none = 0;
  if (!caught_signal.compare_exchange_strong(none, signal)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  cancellation.Cancel();
  // Somebody may wait for a terminal or a pipe; from here on standard input is at its end.
  const int error = errno;
  if (empty_input.load() >= 0) dup2(empty_input.load(), STDIN_FILENO);
  errno = error;
}

}  // namespace

void CatchSignals() {
  static const internal::Cancellation::Scope scope(&cancellation);
  empty_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  struct sigaction action {};
  action.sa_handler = OnSignal;  // Without SA_RESTART, so that a read that waits comes back.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // Whoever starts a program with a signal ignored (nohup) wants it to stay ignored.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int InterruptSignal() { return caught_signal.load(); }

Status CheckInterrupt() {
  if (InterruptSignal() == 0) return Status::Ok();
  return Status(StatusCode::kCancelled, "stopped by a signal");
}

}  // namespace dsi::tools
