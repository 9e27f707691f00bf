// What a process that is forked from a test does.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace dsi::test {

// Runs in a fork and returns its exit code; the process is gone when this returns.
inline int InFork(const std::function<int()>& run, pid_t* pid = nullptr) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  if (pid != nullptr) *pid = child;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whether `work` is true in a child forked now. One that waits for ever is ended, and fails.
inline bool InForkedChild(const std::function<bool()>& work) {
  const auto run = [&] {
    ::alarm(10);
    return work() ? 0 : 1;
  };
  return InFork(run) == 0;
}

}  // namespace dsi::test
