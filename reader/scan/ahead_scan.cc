#include "dsi/reader/scan/ahead_scan_internal.h"

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dsi/base/cancellation_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/reader/scan/batch_internal.h"

namespace dsi::internal {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What the two threads share.
struct Queue {
  struct Finished {
    explicit Finished(SlabAllocator* allocator) : batch(allocator) {}
    Batch batch;
    ScanStats stats;  // As of this batch.
    Status status;
    bool more = false;  // Else there is no batch, and this is the last.
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Finished> finished;  // The oldest first.
  uint64_t finished_bytes = 0;     // Of their slabs.
  bool is_broken = false;          // There was no memory for the next.
  std::vector<Batch> idle;         // Given back, with memory.
  bool is_over = false;
  // What is made waits for the caller, as there is no room or nothing left to make: how long it did
  // before, and since when it does now.
  double blocked = 0;
  std::optional<Clock::time_point> blocked_since;
};

class AheadScan final : public Scan {
 public:
  AheadScan(std::unique_ptr<Scan> source, const ScanOptions& options)
      : source_(std::move(source)),
        most_bytes_(options.read_ahead_bytes / 2),
        allocator_(options.allocator),
        process_(getpid()),
        queue_(std::make_unique<Queue>()) {
    producer_ = std::thread(Cancellation::Inherited([this] { Produce(); }));
  }

  ~AheadScan() override {
    if (process_ != getpid()) {
      // The thread is not there, and what it held while the process forked is lost.
      producer_.detach();
      (void)source_.release();
      (void)queue_.release();
      return;
    }
    {
      const std::lock_guard lock(queue_->mutex);
      queue_->is_over = true;
    }
    queue_->changed.notify_all();
    producer_.join();
  }

  Result<bool> Next(Batch* batch) override {
    if (batch == nullptr) return InvalidArgument("no batch to fill");
    if (process_ != getpid()) return InvalidArgument(kForked);
    if (BatchAccess::Allocator(*batch) != allocator_)
      return InvalidArgument("the batch has another allocator than ScanOptions::allocator");
    BatchAccess::Clear(batch);
    if (is_done_) return Failure();
    const Clock::time_point start = Clock::now();
    Queue& queue = *queue_;
    std::unique_lock lock(queue.mutex);
    queue.changed.wait(lock, [&] { return !queue.finished.empty() || queue.is_broken; });
    waited_ += SecondsSince(start);
    if (queue.finished.empty()) {
      is_done_ = true;
      failed_ = OutOfMemory();
      return Failure();
    }
    Queue::Finished& first = queue.finished.front();
    stats_ = first.stats;
    stats_.seconds.wait = waited_;
    stats_.seconds.blocked = queue.blocked;
    if (queue.blocked_since) stats_.seconds.blocked += SecondsSince(*queue.blocked_since);
    stats_.batches_ready = queue.finished.size() - (queue.finished.back().more ? 0 : 1);
    if (first.more) --stats_.batches_ready;
    if (!first.more) {
      is_done_ = true;
      failed_ = std::move(first.status);
      return Failure();
    }
    BatchAccess::Swap(batch, &first.batch);
    queue.finished_bytes -= batch->slab().size();
    if (queue.idle.size() < queue.idle.capacity()) queue.idle.push_back(std::move(first.batch));
    queue.finished.erase(queue.finished.begin());
    lock.unlock();
    queue.changed.notify_all();
    return true;
  }

  bool is_ready() const noexcept override {
    // In a forked child Next waits for nobody, and the lock may be another thread's for good.
    if (is_done_ || process_ != getpid()) return true;
    const std::lock_guard lock(queue_->mutex);
    return !queue_->finished.empty() || queue_->is_broken;
  }
  uint64_t num_batches() const noexcept override { return source_->num_batches(); }
  std::span<const ScanColumn> columns() const noexcept override { return source_->columns(); }
  const ScanStats& stats() const noexcept override { return stats_; }

 private:
  Result<bool> Failure() const {
    if (failed_.ok()) return false;
    return NoThrow([&]() -> Status { return failed_; });
  }

  // Runs until the scan ends or fails, or nobody wants more.
  void Produce() {
    Queue& queue = *queue_;
    uint64_t last_bytes = 0;
    for (bool more = true; more;) {
      Queue::Finished next(allocator_);
      {
        std::unique_lock lock(queue.mutex);
        queue.blocked_since = Clock::now();
        queue.changed.wait(lock, [&] {
          return queue.is_over || queue.finished.empty() ||
                 queue.finished_bytes + last_bytes <= most_bytes_;
        });
        queue.blocked += SecondsSince(*queue.blocked_since);
        queue.blocked_since.reset();
        if (queue.is_over) return;
        if (!queue.idle.empty()) {
          next.batch = std::move(queue.idle.back());
          queue.idle.pop_back();
        }
      }
      const Result<bool> made = source_->Next(&next.batch);
      next.status = NoThrow([&]() -> Status { return made.status(); });
      next.more = more = made.ok() && *made;
      next.stats = source_->stats();
      last_bytes = next.batch.slab().size();
      {
        const std::lock_guard lock(queue.mutex);
        const Status status = NoThrow([&] {
          queue.idle.reserve(queue.finished.size() + 2);
          queue.finished.push_back(std::move(next));
          return Status::Ok();
        });
        if (status.ok() && more) queue.finished_bytes += last_bytes;
        if (!status.ok()) queue.is_broken = true;
        if (!status.ok()) more = false;
        if (!more) queue.blocked_since = Clock::now();
      }
      queue.changed.notify_all();
    }
  }

  std::unique_ptr<Scan> source_;  // The producer's.
  const uint64_t most_bytes_;
  SlabAllocator* const allocator_;
  const pid_t process_;
  std::unique_ptr<Queue> queue_;
  std::thread producer_;
  // The consumer's.
  ScanStats stats_;
  double waited_ = 0;
  bool is_done_ = false;
  Status failed_;
};

}  // namespace

Result<std::unique_ptr<Scan>> MakeAheadScan(std::unique_ptr<Scan> made_from,
                                            const ScanOptions& options) {
  try {
    return std::unique_ptr<Scan>(std::make_unique<AheadScan>(std::move(made_from), options));
  } catch (const std::system_error& error) {
    return Error(StatusCode::kResourceExhausted, "no thread to make batches ahead: {}",
                 error.what());
  }
}

}  // namespace dsi::internal
