// Reads the pages of a scan before they are needed, on threads of its own.
//
// Stripes are planned one or two before the one being decoded, and their ranges read in the order
// in which rows come to need them, several at once where a read takes long to answer. What is read
// and not yet used is bounded; a range that is needed before its turn is read by whoever needs it,
// and so is one whose read failed, which says what the error is. So a fetcher changes how long a
// scan waits, and nothing else.
//
// Thread safety: one thread at a time calls Take and Follow. Destruction waits for reads in flight.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/scan/projection_internal.h"
#include "dsi/reader/scan/row_range_internal.h"

namespace dsi::internal {

// A stripe whose plan was made and whose pages are being read before a decoder starts on it.
struct FetchedStripe {
  std::unique_ptr<StripePlan> plan;  // Null: it was not.
  std::shared_ptr<FetchedRanges> ranges;
};

class StripeFetcher {
 public:
  // For stripes of the range, and rows before its end; holds what `budget` has room for, which
  // nothing else is charged to. File, options and budget must outlive it, and the budget what was
  // read.
  StripeFetcher(const OpenFile* file, const ReaderOptions* options,
                std::shared_ptr<const ScanProjection> projection, const RowRange& range,
                MemoryBudget* budget);
  ~StripeFetcher();
  StripeFetcher(const StripeFetcher&) = delete;
  StripeFetcher& operator=(const StripeFetcher&) = delete;

  // The stripe, if it has been planned, which is waited for where it was begun. What is left of the
  // one before it goes on being read; stripes before that are forgotten.
  FetchedStripe Take(size_t stripe);
  // Reads what is left of a stripe that the caller planned, from its row `begin` on, and then the
  // stripes behind it.
  void Follow(const StripePlan& plan, uint32_t begin, std::shared_ptr<FetchedRanges> ranges);

 private:
  struct Read {
    uint32_t range = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  struct Stripe {
    size_t number = 0;
    std::unique_ptr<StripePlan> plan = nullptr;  // Until it is taken.
    std::shared_ptr<FetchedRanges> ranges = nullptr;
    std::vector<Read> reads = {};  // In order of need.
    size_t next = 0;               // The first that nobody has begun.
  };

  static constexpr size_t kNoStripe = SIZE_MAX;

  void StartThreads();
  void Work();
  bool PlanNext(std::unique_lock<std::mutex>* lock);
  bool ReadNext(std::unique_lock<std::mutex>* lock);
  Stripe* Unread();
  bool HasRoom(const Read& read) const;
  // From row `begin` of the stripe on.
  std::vector<Read> ReadsOf(const StripePlan& plan, uint32_t begin) const;

  const OpenFile* file_;
  const ReaderOptions* options_;
  std::shared_ptr<const ScanProjection> projection_;
  const uint64_t end_row_;
  const size_t end_stripe_;
  MemoryBudget* budget_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Stripe> stripes_;  // Ascending.
  size_t next_stripe_ = 0;      // To be planned.
  size_t planning_ = kNoStripe;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dsi::internal
