#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "dsi/writer/parallel_internal.h"

namespace dsi::internal {
namespace {

Status RunGuarded(const std::function<Status(size_t)>& work, size_t i) {
  try {
    return work(i);
  } catch (const std::bad_alloc&) {
    return {StatusCode::kResourceExhausted, "out of memory while encoding"};
  }
}

}  // namespace

Status ParallelFor(size_t count, int threads, const std::function<Status(size_t)>& work,
                   const std::function<Status()>& poll) {
  std::atomic<size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  size_t failed_at = count;
  Status failure;

  const auto loop = [&](bool is_caller) {
    for (;;) {
      if (stop.load(std::memory_order_relaxed)) return;
      const size_t i = next.fetch_add(1);
      if (i >= count) return;
      Status status = RunGuarded(work, i);
      if (status.ok() && is_caller) status = poll();
      if (!status.ok()) {
        const std::lock_guard lock(mutex);
        if (i < failed_at) {
          failed_at = i;
          failure = std::move(status);
        }
        stop = true;
      }
    }
  };

  const size_t extra =
      std::min<size_t>(static_cast<size_t>(std::max(threads, 1)), count) - (count > 0 ? 1 : 0);
  std::vector<std::thread> pool;
  pool.reserve(extra);
  for (size_t t = 0; t < extra; ++t) {
    try {
      pool.emplace_back(loop, false);
    } catch (const std::system_error&) {
      break;  // Fewer threads do the same work.
    }
  }
  loop(true);
  for (std::thread& thread : pool) thread.join();
  return failure;
}

}  // namespace dsi::internal
