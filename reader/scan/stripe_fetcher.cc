#include "dsi/reader/scan/stripe_fetcher_internal.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "dsi/base/cancellation_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/reader/open/range_memory_internal.h"

namespace dsi::internal {
namespace {

// Stripes that are planned and not yet being decoded: so many, and more while they are small.
constexpr size_t kStripesAhead = 2;
constexpr size_t kMostStripesAhead = 8;
// A source that takes long to answer has several calls in flight, each of many bytes; of another
// what was read is soon handed on.
constexpr size_t kCallsInFlight = 4;
constexpr uint64_t kBytesPerCall = 4 << 20;
constexpr uint64_t kBytesPerQuickCall = 256 << 10;
constexpr std::chrono::milliseconds kLookForRoom(1);

}  // namespace

StripeFetcher::StripeFetcher(std::unique_ptr<StripeVisits> visits, MemoryBudget* budget)
    : visits_(std::move(visits)), budget_(budget) {}

StripeFetcher::~StripeFetcher() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// One that cannot be started is done without.
void StripeFetcher::StartThreads(const SourceCosts& costs) {
  const size_t count = TakesLong(costs) ? kCallsInFlight : 1;
  try {
    while (threads_.size() < count)
      threads_.emplace_back(Cancellation::Inherited([this] { Work(); }));
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

bool StripeFetcher::IsPlanning(const VisitKey& key) const {
  return std::find(planning_.begin(), planning_.end(), key) != planning_.end();
}

StripeFetcher::Stripe* StripeFetcher::Find(const VisitKey& key) {
  const auto found = std::find_if(stripes_.begin(), stripes_.end(),
                                  [&](const Stripe& s) { return s.visit.key == key; });
  return found == stripes_.end() ? nullptr : &*found;
}

void StripeFetcher::Pass(const VisitKey& key) {
  const std::lock_guard lock(mutex_);
  // The last batch of the one before may reach into this.
  std::erase_if(stripes_, [&](const Stripe& s) {
    return s.visit.key < key && (s.visit.key != passed_ || s.next == s.reads.size());
  });
  passed_ = key;
}

FetchedStripe StripeFetcher::Take(const VisitKey& key) {
  std::unique_lock lock(mutex_);
  // Who plans it as well would have its pages read twice.
  changed_.wait(lock, [&] { return !IsPlanning(key); });
  last_taken_ = std::max(last_taken_, std::optional(key));
  changed_.notify_all();
  Stripe* const found = Find(key);
  if (found == nullptr || found->plan == nullptr) return {};
  return {std::move(found->plan), found->ranges};
}

void StripeFetcher::Follow(const VisitKey& key, VisitedStripe of, const StripePlan& plan,
                           uint32_t begin, std::shared_ptr<FetchedRanges> ranges) {
  {
    const std::lock_guard lock(mutex_);
    Stripe* followed = Find(key);
    if (followed == nullptr) {
      // Helpers leave it to the caller.
      while (Peek() && next_visit_->key < key) next_visit_.reset();
      if (!next_visit_ || next_visit_->key != key) return;
      followed = Insert({.visit = *std::exchange(next_visit_, std::nullopt)});
    }
    const SourceCosts costs = of.file->file().costs();
    followed->of = std::move(of);
    followed->ranges = std::move(ranges);
    SetReads(plan, begin, followed);
    if (threads_.empty()) StartThreads(costs);
  }
  changed_.notify_all();
}

bool StripeFetcher::Peek() {
  if (!next_visit_) next_visit_ = visits_->Next();
  return next_visit_.has_value();
}

StripeFetcher::Stripe* StripeFetcher::Insert(Stripe stripe) {
  const auto behind = std::find_if(stripes_.begin(), stripes_.end(),
                                   [&](const Stripe& s) { return s.visit.key > stripe.visit.key; });
  return &*stripes_.insert(behind, std::move(stripe));
}

// From row `begin` of the stripe on.
void StripeFetcher::SetReads(const StripePlan& plan, uint32_t begin, Stripe* stripe) {
  std::vector<bool> is_known(plan.ranges.size());
  for (StripeRows rows : stripe->visit.rows) {
    if (rows.end <= begin) continue;
    rows.begin = std::max(rows.begin, begin);
    for (const uint32_t range : RangesByNeed(plan, rows)) {
      if (is_known[range]) continue;
      is_known[range] = true;
      stripe->reads.push_back({range, plan.ranges[range].offset, plan.ranges[range].size});
      stripe->bytes += plan.ranges[range].size;
    }
  }
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

bool StripeFetcher::HasTimeToPlan() const {
  size_t count = planning_.size();
  uint64_t bytes = 0;
  for (const Stripe& stripe : stripes_) {
    if (stripe.visit.key <= last_taken_) continue;
    ++count;
    bytes += stripe.bytes;
  }
  return count < kStripesAhead || (count < kMostStripesAhead && bytes < budget_->limit / 2);
}

// Plans the next stripe, if it is time for that.
bool StripeFetcher::PlanNext(std::unique_lock<std::mutex>* lock) {
  if (!HasTimeToPlan()) return false;
  while (Peek() && next_visit_->key < *last_taken_) next_visit_.reset();
  // That which was taken last is planned by who took it.
  if (!next_visit_ || next_visit_->key == *last_taken_) return false;
  if (!visits_->IsTime(next_visit_->key)) return false;
  Stripe next{.visit = *std::exchange(next_visit_, std::nullopt)};
  planning_.push_back(next.visit.key);
  lock->unlock();
  bool is_wanted = true;
  // What goes wrong does so again where the stripe is decoded, and is told there.
  static_cast<void>(NoThrow([&] { return Plan(&next, &is_wanted); }));
  lock->lock();
  std::erase(planning_, next.visit.key);
  // Others read what it needs, or plan the next one.
  changed_.notify_all();
  if (is_wanted) Insert(std::move(next));
  return true;
}

Status StripeFetcher::Plan(Stripe* stripe, bool* is_wanted) const {
  DSI_ASSIGN_OR_RETURN(std::optional<VisitedStripe> opened, visits_->Open(stripe->visit.key));
  *is_wanted = opened.has_value();
  if (!opened) return Status::Ok();
  LookAhead ahead(&opened->file->file(), *opened->options, budget_);
  const OpenFile file = opened->file->Through(&ahead);
  DSI_ASSIGN_OR_RETURN(StripePlan plan, PlanTogether(file, opened->projection->columns,
                                                     opened->stripe, *opened->options, budget_));
  stripe->ranges = std::make_shared<FetchedRanges>(plan.ranges.size());
  stripe->plan = std::make_unique<StripePlan>(std::move(plan));
  stripe->of = *std::move(opened);
  SetReads(*stripe->plan, 0, stripe);  // The last: reads are made of what is whole.
  return Status::Ok();
}

// Memory is taken in blocks of powers of two.
bool StripeFetcher::HasRoom(const Read& read) const {
  return std::bit_ceil(read.size) <= budget_->left();
}

// Reads some of the ranges that are needed next, as far as there is room.
bool StripeFetcher::ReadNext(std::unique_lock<std::mutex>* lock) {
  Stripe* const stripe = Unread();
  if (stripe == nullptr || !HasRoom(stripe->reads[stripe->next])) return false;
  const VisitedStripe of = stripe->of;  // It may be forgotten meanwhile.
  const std::shared_ptr<FetchedRanges> ranges = stripe->ranges;
  const size_t most = stripe->reads.size() - stripe->next;
  std::vector<Read> reads;
  std::vector<std::shared_ptr<RangeMemory>> pieces;
  std::vector<ReadRequest> requests;
  reads.reserve(most);
  pieces.reserve(most);
  requests.reserve(most);
  const uint64_t enough = TakesLong(of.file->file().costs()) ? kBytesPerCall : kBytesPerQuickCall;
  for (uint64_t sum = 0; stripe->next < stripe->reads.size() && sum < enough;) {
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
  const Status status = NoThrow([&] { return of.file->file().ReadMany(requests); });
  for (size_t i = 0; i < reads.size(); ++i) {
    std::shared_ptr<const std::byte> bytes;
    if (status.ok()) bytes = {pieces[i], pieces[i]->bytes()};
    ranges->Put(reads[i].range, std::move(bytes));
  }
  return true;
}

}  // namespace dsi::internal
