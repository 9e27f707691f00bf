// Readers that are open, of which the one that was asked for least recently is closed first.
//
// Thread safety: calls from many threads, and from a process forked meanwhile. Each file is opened
// by one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

#include "dsi/base/fork_safe_mutex_internal.h"
#include "dsi/base/one_at_a_time_internal.h"
#include "dsi/base/status.h"
#include "dsi/reader/reader.h"

namespace dsi::internal {

class ReaderPool {
 public:
  using OpenReader = std::function<Result<std::unique_ptr<Reader>>(size_t file)>;

  // Keeps at most so many open, but for those that somebody holds.
  ReaderPool(uint32_t most_open, OpenReader open) : most_open_(most_open), open_(std::move(open)) {}

  Result<std::shared_ptr<const Reader>> Acquire(size_t file);

 private:
  struct Slot {
    OneAtATime opening;
    std::shared_ptr<const Reader> reader;
    uint32_t num_users = 0;  // Calls of Acquire that look at it.
    std::list<size_t>::iterator place;
  };
  class Use;

  Slot* Enter(size_t file);
  void Leave(size_t file, bool has_failed);
  // What to close, when the lock is given back.
  std::list<std::unique_ptr<Slot>> TakeIdle();

  const uint32_t most_open_;
  const OpenReader open_;
  ForkSafeMutex mutex_;
  std::unordered_map<size_t, std::unique_ptr<Slot>> slots_;
  std::list<size_t> order_;  // Most recent first.
};

}  // namespace dsi::internal
