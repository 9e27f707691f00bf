// A small program for the tests that break system calls from outside.
//
//   publish_helper write PATH SIZE APPEND OVERWRITE [LIMIT]   publishes SIZE bytes of the pattern
//   publish_helper read PATH [LIMIT]                          reads the file and checks the pattern
//
// APPEND is the size of one append, OVERWRITE is 0 or 1. With a LIMIT the system moves at most that
// many bytes in one call. Exits with 0, with 3 after a failed Status, with 4 for wrong bytes.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include "dsi/io/file.h"
#include "dsi/tests/io/file_bytes.h"

namespace {

size_t transfer_limit = std::numeric_limits<size_t>::max();

}  // namespace

// In the place of the C library's, for this program alone.
extern "C" ssize_t write(int fd, const void* data, size_t size) {
  return ::syscall(SYS_write, fd, data, std::min(size, transfer_limit));
}
extern "C" ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  return ::syscall(SYS_pread64, fd, data, std::min(size, transfer_limit), offset);
}

namespace dsi {
namespace {

// Shows in a trace where the library's calls begin and end.
class Mark {
 public:
  Mark() { (void)::syscall(SYS_getppid); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() { (void)::syscall(SYS_getppid); }
};

int Report(const Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 3;
}

Status WriteFile(const std::string& path, size_t size, size_t append, bool overwrite) {
  const auto bytes = test::PatternBytes(size);
  const Mark mark;
  DSI_ASSIGN_OR_RETURN(const auto file, CreateLocalFile(path, {.overwrite = overwrite}));
  for (size_t offset = 0; offset < size; offset += append) {
    DSI_RETURN_IF_ERROR(
        file->Append(std::span(bytes).subspan(offset, std::min(append, size - offset))));
  }
  return file->Publish();
}

int ReadFile(const std::string& path) {
  const Mark mark;
  const auto file = OpenLocalFile(path);
  if (!file.ok()) return Report(file.status());
  std::vector<std::byte> got((*file)->size());
  if (const Status status = (*file)->ReadAt(0, got); !status.ok()) return Report(status);
  return got == test::PatternBytes(got.size()) ? 0 : 4;
}

int Main(std::span<char*> args) {
  if (args.size() >= 3 && std::strcmp(args[1], "read") == 0) {
    if (args.size() > 3) transfer_limit = std::stoul(args[3]);
    return ReadFile(args[2]);
  }
  if (args.size() >= 6 && std::strcmp(args[1], "write") == 0) {
    if (args.size() > 6) transfer_limit = std::stoul(args[6]);
    return Report(
        WriteFile(args[2], std::stoul(args[3]), std::stoul(args[4]), std::stoul(args[5]) != 0));
  }
  return 2;
}

}  // namespace
}  // namespace dsi

int main(int argc, char** argv) { return dsi::Main({argv, static_cast<size_t>(argc)}); }
