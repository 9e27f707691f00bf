// Reads of a local file past the page cache (O_DIRECT): whole blocks into buffers of its own, many
// in flight where the kernel lets us use io_uring, one after the other where not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dsi/base/status.h"
#include "dsi/io/file.h"

namespace dsi::internal {

// Thread safety: one thread at a time. Belongs to the process that made it.
class DirectReads {
 public:
  // Null: no memory. With `use_ring` false as where the kernel has no io_uring for us.
  static std::unique_ptr<DirectReads> Make(bool use_ring = true);
  ~DirectReads();
  DirectReads(const DirectReads&) = delete;
  DirectReads& operator=(const DirectReads&) = delete;

  // Fills the requests, which lie within the `size` bytes of the file. kUnsupported: the file has
  // no such reads after all. After an error it is of no further use.
  Status Read(int fd, uint64_t size, const std::string& path,
              std::span<const ReadRequest> requests);

  bool has_ring() const;
  pid_t process() const { return process_; }

 private:
  class Impl;
  DirectReads(std::unique_ptr<Impl> impl, pid_t process);

  std::unique_ptr<Impl> impl_;
  pid_t process_;
};

}  // namespace dsi::internal
