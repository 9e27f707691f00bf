// How much memory this process may use.
#pragma once

#include <cstdint>
#include <string>

namespace dsi::internal {

// Where Linux says so; other places serve tests.
struct MemoryPlaces {
  std::string cgroups = "/sys/fs/cgroup";
  std::string groups_of_process = "/proc/self/cgroup";
};

// The least of physical memory, the limit on the address space, and the limits of the process's
// control group and of all above it (version 2: memory.max, version 1: memory.limit_in_bytes).
uint64_t MachineMemory(const MemoryPlaces& places = {});

}  // namespace dsi::internal
