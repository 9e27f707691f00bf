#include "dsi/reader/scan/stripe_fetcher_internal.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "dsi/base/no_throw_internal.h"
#include "dsi/reader/open/range_memory_internal.h"

namespace dsi::internal {
namespace {

// Stripes that are planned and not yet being decoded.
constexpr size_t kStripesAhead = 2;
// Read in one call; a source that takes long to answer has several calls in flight.
constexpr uint64_t kBytesPerCall = 4 << 20;
constexpr size_t kCallsInFlight = 4;
constexpr double kLongLatency = 1e-3;
constexpr std::chrono::milliseconds kLookForRoom(1);

}  // namespace

StripeFetcher::StripeFetcher(const OpenFile* file, const ReaderOptions* options,
                             std::shared_ptr<const ScanProjection> projection,
                             const RowRange& range, MemoryBudget* budget)
    : file_(file),
      options_(options),
      projection_(std::move(projection)),
      end_row_(range.end),
      end_stripe_(range.end_stripe),
      budget_(budget),
      next_stripe_(range.end_stripe) {}

StripeFetcher::~StripeFetcher() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// One that cannot be started is done without.
void StripeFetcher::StartThreads() {
  const size_t count = file_->file().costs().latency_s >= kLongLatency ? kCallsInFlight : 1;
  try {
    while (threads_.size() < count) threads_.emplace_back([this] { Work(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

FetchedStripe StripeFetcher::Take(size_t stripe) {
  std::unique_lock lock(mutex_);
  // Who plans it as well would have its pages read twice.
  changed_.wait(lock, [&] { return planning_ != stripe; });
  // A helper may have come for it while the one before is being decoded.
  const auto is_over = [stripe](const Stripe& s) {
    return s.number + 1 < stripe || (s.number < stripe && s.next == s.reads.size());
  };
  std::erase_if(stripes_, is_over);
  changed_.notify_all();
  const auto found = std::find_if(stripes_.begin(), stripes_.end(),
                                  [stripe](const Stripe& s) { return s.number == stripe; });
  if (found == stripes_.end()) {
    next_stripe_ = std::max(next_stripe_, stripe + 1);  // This one is planned by the caller.
    return {};
  }
  return {std::move(found->plan), found->ranges};
}

void StripeFetcher::Follow(const StripePlan& plan, uint32_t begin,
                           std::shared_ptr<FetchedRanges> ranges) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(stripes_, [&](const Stripe& s) { return s.number == plan.stripe; });
    Stripe followed{
        .number = plan.stripe, .ranges = std::move(ranges), .reads = ReadsOf(plan, begin)};
    const auto behind = std::find_if(stripes_.begin(), stripes_.end(),
                                     [&](const Stripe& s) { return s.number > plan.stripe; });
    stripes_.insert(behind, std::move(followed));
    if (threads_.empty()) {
      next_stripe_ = plan.stripe + 1;
      StartThreads();
    }
  }
  changed_.notify_all();
}

std::vector<StripeFetcher::Read> StripeFetcher::ReadsOf(const StripePlan& plan,
                                                        uint32_t begin) const {
  const StripeRef& stripe = file_->core().stripes[plan.stripe];
  const uint64_t end = std::min<uint64_t>(end_row_ - stripe.first_row, stripe.num_rows);
  const StripeRows rows{begin, static_cast<uint32_t>(end), stripe.num_rows};
  std::vector<Read> reads;
  for (const uint32_t range : RangesByNeed(plan, rows))
    reads.push_back({range, plan.ranges[range].offset, plan.ranges[range].size});
  return reads;
}

void StripeFetcher::Work() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    // Whatever stands in the way here does so where the bytes are needed, and is told there.
    bool did = false;
    const Status status = NoThrow([&] {
      did = ReadNext(&lock) || PlanNext(&lock);
      return Status::Ok();
    });
    if (!lock.owns_lock()) lock.lock();
    if (did || is_over_) continue;
    // Memory that decoding gives back is looked for now and then: nobody tells.
    if (Unread() != nullptr) {
      changed_.wait_for(lock, kLookForRoom);
    } else {
      changed_.wait(lock);
    }
  }
}

StripeFetcher::Stripe* StripeFetcher::Unread() {
  for (Stripe& stripe : stripes_) {
    if (stripe.next < stripe.reads.size()) return &stripe;
  }
  return nullptr;
}

// Plans the next stripe, if it is time for that.
bool StripeFetcher::PlanNext(std::unique_lock<std::mutex>* lock) {
  if (planning_ != kNoStripe || next_stripe_ >= end_stripe_ || stripes_.size() > kStripesAhead)
    return false;
  const size_t number = next_stripe_++;
  planning_ = number;
  lock->unlock();
  Stripe next{.number = number};
  const Status status = NoThrow([&]() -> Status {
    LookAhead ahead(&file_->file(), *options_, budget_);
    const OpenFile file = file_->Through(&ahead);
    DSI_ASSIGN_OR_RETURN(StripePlan plan,
                         PlanTogether(file, projection_->columns, number, *options_, budget_));
    next.plan = std::make_unique<StripePlan>(std::move(plan));
    next.ranges = std::make_shared<FetchedRanges>(next.plan->ranges.size());
    next.reads = ReadsOf(*next.plan, 0);
    return Status::Ok();
  });
  lock->lock();
  planning_ = kNoStripe;
  // Others read what it needs, or plan the next one.
  changed_.notify_all();
  if (status.ok()) stripes_.push_back(std::move(next));
  return true;
}

// Memory is taken in blocks of powers of two.
bool StripeFetcher::HasRoom(const Read& read) const {
  return std::bit_ceil(read.size) <= budget_->left();
}

// Reads some of the ranges that are needed next, as far as there is room.
bool StripeFetcher::ReadNext(std::unique_lock<std::mutex>* lock) {
  Stripe* const stripe = Unread();
  if (stripe == nullptr || !HasRoom(stripe->reads[stripe->next])) return false;
  const std::shared_ptr<FetchedRanges> ranges = stripe->ranges;
  const size_t most = stripe->reads.size() - stripe->next;
  std::vector<Read> reads;
  std::vector<std::shared_ptr<RangeMemory>> pieces;
  std::vector<ReadRequest> requests;
  reads.reserve(most);
  pieces.reserve(most);
  requests.reserve(most);
  for (uint64_t sum = 0; stripe->next < stripe->reads.size() && sum < kBytesPerCall;) {
    const Read& read = stripe->reads[stripe->next];
    if (!HasRoom(read)) break;
    // Ranges that are claimed are read whatever happens: others may wait for them.
    std::shared_ptr<RangeMemory> piece;
    const Status reserved = NoThrow([&] {
      piece = std::make_shared<RangeMemory>(budget_);
      return piece->Reserve(read.size);
    });
    if (!reserved.ok()) break;
    ++stripe->next;
    if (!ranges->Claim(read.range)) continue;
    sum += read.size;
    reads.push_back(read);
    requests.push_back({read.offset, {piece->bytes(), read.size}});
    pieces.push_back(std::move(piece));
  }
  if (reads.empty()) return false;
  lock->unlock();
  const Status status = NoThrow([&] { return file_->file().ReadMany(requests); });
  for (size_t i = 0; i < reads.size(); ++i) {
    std::shared_ptr<const std::byte> bytes;
    if (status.ok()) bytes = {pieces[i], pieces[i]->bytes()};
    ranges->Put(reads[i].range, std::move(bytes));
  }
  return true;
}

}  // namespace dsi::internal
