// What the tests of publishing share: files in the making, their names, and other processes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "dsi/io/file.h"
#include "dsi/tests/support/forked_child.h"

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

inline pid_t DeadPid() {
  pid_t pid = 0;
  InFork([] { return 0; }, &pid);
  return pid;
}

inline std::string TempName(const std::string& name, pid_t pid, int n = 0) {
  return "." + name + "." + std::to_string(pid) + "." + std::to_string(n) + ".tmp";
}

}  // namespace dsi::test
