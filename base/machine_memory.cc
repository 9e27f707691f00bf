#include "dsi/base/machine_memory_internal.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>

namespace dsi::internal {
namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// Empty where there is no such file. Longer ones are cut: the kernel writes a few lines.
std::string ReadSmallFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (file == nullptr) return {};
  std::array<char, 4096> text;
  return {text.data(), std::fread(text.data(), 1, text.size(), file.get())};
}

// "max" is no number, and no limit.
uint64_t ReadLimit(const std::string& path) {
  const std::string text = ReadSmallFile(path);
  uint64_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  return error == std::errc{} ? limit : kUnlimited;
}

// The least of the limits in a group's folder and in those above it. What a container sees as the
// root is its own group, whatever the name that the host has for it.
uint64_t LimitOfGroup(const std::string& root, std::string_view group, const std::string& file) {
  uint64_t limit = kUnlimited;
  while (true) {
    while (group.ends_with('/')) group.remove_suffix(1);
    limit = std::min(limit, ReadLimit(root + std::string(group) + "/" + file));
    if (group.empty()) return limit;
    group = group.substr(0, group.rfind('/') == group.npos ? 0 : group.rfind('/'));
  }
}

// One line of /proc/self/cgroup, "number:controllers:/group"; of version 2 the controllers are
// empty.
uint64_t LimitOfLine(const std::string& root, std::string_view line) {
  const size_t first = line.find(':');
  const size_t second = first == line.npos ? first : line.find(':', first + 1);
  if (second == line.npos) return kUnlimited;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string_view group = line.substr(second + 1);
  if (controllers.empty()) {
    return std::min(LimitOfGroup(root, group, "memory.max"),
                    LimitOfGroup(root + "/unified", group, "memory.max"));
  }
  if (controllers != "memory") return kUnlimited;
  return LimitOfGroup(root + "/memory", group, "memory.limit_in_bytes");
}

uint64_t PhysicalMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(size)
                               : 1ULL << 32;
}

uint64_t AddressSpace() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return limit.rlim_cur;
}

}  // namespace

uint64_t MachineMemory(const MemoryPlaces& places) {
  uint64_t memory = std::min(PhysicalMemory(), AddressSpace());
  const std::string groups = ReadSmallFile(places.groups_of_process);
  for (std::string_view rest = groups; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    memory = std::min(memory, LimitOfLine(places.cgroups, rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return memory;
}

}  // namespace dsi::internal
