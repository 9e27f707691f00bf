// What the tests of publishing share: files in the making, their names, and other processes.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "dsi/io/file.h"

namespace dsi::test {

using Names = std::set<std::string>;

inline std::unique_ptr<WritableFile> Create(const std::string& path, bool overwrite = false) {
  auto file = CreateLocalFile(path, {.overwrite = overwrite});
  if (!file.ok()) {
    ADD_FAILURE() << file.status().ToString();
    return nullptr;
  }
  return *std::move(file);
}

// Runs in a fork and returns its exit code; the process is gone when this returns.
inline int InFork(const std::function<int()>& run, pid_t* pid = nullptr) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  if (pid != nullptr) *pid = child;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline pid_t DeadPid() {
  pid_t pid = 0;
  InFork([] { return 0; }, &pid);
  return pid;
}

inline std::string TempName(const std::string& name, pid_t pid, int n = 0) {
  return "." + name + "." + std::to_string(pid) + "." + std::to_string(n) + ".tmp";
}

}  // namespace dsi::test
