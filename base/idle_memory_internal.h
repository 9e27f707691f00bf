// Lets memory that is given back wait for what comes in its place.
#pragma once

#include <cstdint>

namespace dsi::internal {

// While it lives, so many bytes more of either kind of block wait for whoever asks next than
// otherwise would (block_memory_internal.h): for one who gives back what will at once be needed
// again. Thread safety: one thread at a time; several may be alive in several threads.
class IdleMemory {
 public:
  explicit IdleMemory(uint64_t bytes) { Set(bytes); }
  ~IdleMemory() { Set(0); }
  IdleMemory(const IdleMemory&) = delete;
  IdleMemory& operator=(const IdleMemory&) = delete;

  // What is beyond goes back to the system.
  void Set(uint64_t bytes);

 private:
  uint64_t bytes_ = 0;
};

}  // namespace dsi::internal
