// What a process that is forked from a test does.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace dsi::test {

// Whether `work` is true in a child forked now. One that waits for ever is ended, and fails.
template <typename Work>
bool InForkedChild(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    ::_exit(work() ? 0 : 1);
  }
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace dsi::test
