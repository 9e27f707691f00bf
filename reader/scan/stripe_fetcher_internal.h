// Reads the pages of a scan before they are needed, on threads of its own.
//
// Stripes are planned two or more before the one being decoded, and their ranges read in the order
// in which rows come to need them, several at once where a read takes long to answer. What is read
// and not yet used is bounded; a range that is needed before its turn is read by whoever needs it,
// and so is one whose read failed, which says what the error is. So a fetcher changes how long a
// scan waits, and nothing else.
//
// Thread safety: Take and Follow are for any thread, of each visit one; one thread calls Pass.
// Destruction waits for reads in flight.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/scan/filter_source_internal.h"
#include "dsi/reader/scan/stripe_visits_internal.h"
#include "dsi/reader/scan_options.h"

namespace dsi::internal {

// What pages that are read ahead of a scan may take: half of read_ahead_bytes, an eighth of it for
// what a filter looks at.
struct FetchBudgets {
  explicit FetchBudgets(const ScanOptions& options)
      : filter{.limit = HasPredicates(options.filter) ? options.read_ahead_bytes / 16 : 0},
        batches{.limit = options.read_ahead_bytes / 2 - filter.limit} {}

  MemoryBudget filter, batches;
};

// A stripe whose plan was made and whose pages are being read before a decoder starts on it.
struct FetchedStripe {
  std::unique_ptr<StripePlan> plan;  // Null: it was not.
  std::shared_ptr<FetchedRanges> ranges;
};

class StripeFetcher {
 public:
  // Holds what `budget` has room for, which nothing else is charged to; it must outlive the fetcher
  // and what was read.
  StripeFetcher(std::unique_ptr<StripeVisits> visits, MemoryBudget* budget);
  ~StripeFetcher();
  StripeFetcher(const StripeFetcher&) = delete;
  StripeFetcher& operator=(const StripeFetcher&) = delete;

  // The scan has come to a visit: all before it are forgotten, but what is left of the one that it
  // had come to before goes on being read.
  void Pass(const VisitKey& key);
  // The stripe of a visit, if it has been planned, which is waited for where it was begun.
  FetchedStripe Take(const VisitKey& key);
  // Of a visit that was not planned, and whose stripe the caller planned: reads what is left of it
  // from its row `begin` on, and then those behind it.
  void Follow(const VisitKey& key, VisitedStripe of, const StripePlan& plan, uint32_t begin,
              std::shared_ptr<FetchedRanges> ranges);

 private:
  struct Read {
    uint32_t range = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  struct Stripe {
    StripeVisit visit;
    VisitedStripe of = {};
    std::unique_ptr<StripePlan> plan = nullptr;  // Until it is taken; null too: it failed.
    std::shared_ptr<FetchedRanges> ranges = nullptr;
    std::vector<Read> reads = {};  // In order of need.
    size_t next = 0;               // The first that nobody has begun.
    uint64_t bytes = 0;            // Of all of them.
  };

  void StartThreads(const SourceCosts& costs);
  void Work();
  bool IsPlanning(const VisitKey& key) const;
  bool HasTimeToPlan() const;
  bool PlanNext(std::unique_lock<std::mutex>* lock);
  Status Plan(Stripe* stripe, bool* is_wanted) const;
  bool ReadNext(std::unique_lock<std::mutex>* lock);
  Stripe* Unread();
  Stripe* Find(const VisitKey& key);
  bool Peek();
  bool HasRoom(const Read& read) const;
  Stripe* Insert(Stripe stripe);
  static void SetReads(const StripePlan& plan, uint32_t begin, Stripe* stripe);

  const std::unique_ptr<StripeVisits> visits_;
  MemoryBudget* const budget_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Stripe> stripes_;  // Ascending.
  std::optional<VisitKey> passed_;
  std::optional<VisitKey> last_taken_;  // The greatest.
  std::optional<StripeVisit> next_visit_;
  std::vector<VisitKey> planning_;  // By helpers, at the moment.
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dsi::internal
