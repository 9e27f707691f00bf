#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dsi/base/cancellation_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/parallel_internal.h"

namespace dsi::internal {
namespace {

// Waits for its threads however it is left: one that still runs when its std::thread is destroyed
// ends the process.
class JoinedThreads {
 public:
  explicit JoinedThreads(size_t count) { threads_.reserve(count); }
  ~JoinedThreads() {
    for (std::thread& thread : threads_) thread.join();
  }
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;

  // False where the system has no thread or no memory for one.
  template <typename Loop>
  bool Start(const Loop& loop) {
    try {
      threads_.emplace_back(Cancellation::Inherited(loop));
      return true;
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

int NumThreads(int asked) {
  return std::max(1, asked != 0 ? asked : static_cast<int>(std::thread::hardware_concurrency()));
}

Status ParallelFor(size_t count, int threads, const std::function<Status(size_t)>& work,
                   const std::function<Status()>& poll) {
  std::atomic<size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  size_t failed_at = count;
  Status failure;

  // Pieces are taken in ascending order and a piece taken is always run, so all before the first
  // that fails are run, on any number of threads.
  const auto loop = [&](bool is_caller) {
    for (;;) {
      if (stop.load(std::memory_order_relaxed)) return;
      const size_t i = next.fetch_add(1);
      if (i >= count) return;
      Status status = NoThrow([&] { return work(i); });
      if (status.ok() && is_caller) status = NoThrow(poll);
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
  {
    JoinedThreads pool(extra);
    // Fewer threads do the same work.
    for (size_t t = 0; t < extra; ++t) {
      if (!pool.Start([&loop] { loop(false); })) break;
    }
    loop(true);
  }
  return failure;
}

}  // namespace dsi::internal
