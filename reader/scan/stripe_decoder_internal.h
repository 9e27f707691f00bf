// One stripe being scanned: its pages, group indexes, shapes and values, advanced together by rows.
//
// Reused from stripe to stripe, so that a scan whose stripes are alike allocates only for the
// first. What does not fit the budget is kResourceExhausted, or OverBudget thrown. Thread safety:
// one thread at a time, which has the team of the scan help it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsi/base/fixed_array_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/decode/index_decoder_internal.h"
#include "dsi/reader/decode/time_order_internal.h"
#include "dsi/reader/decode/pool_decoder_internal.h"
#include "dsi/reader/scan/projection_internal.h"
#include "dsi/reader/scan/stripe_fetcher_internal.h"

namespace dsi::internal {

// The threads of a scan, and what each of them needs. The budget outlives them.
struct ScanWorkers {
  // `threads`: as ScanOptions::threads.
  ScanWorkers(MemoryBudget* memory, uint32_t threads)
      : team(threads != 0 ? threads : static_cast<size_t>(NumThreads(0))) {
    for (size_t i = 0; i < team.size(); ++i) rooms.emplace_back(memory);
  }
  uint64_t values_decoded() const {
    uint64_t sum = 0;
    for (const DecodeRoom& room : rooms) sum += room.values_decoded();
    return sum;
  }
  // Some value of those decoded did not fit the type asked for.
  bool any_unfit() const {
    return std::any_of(rooms.begin(), rooms.end(),
                       [](const DecodeRoom& room) { return room.any_unfit(); });
  }

  WorkerTeam team;
  std::vector<DecodeRoom> rooms;  // One for each of the team.
};

// What the stripes of a file share in a scan. Budget and workers outlive it.
struct ScanShared {
  ScanShared(MemoryBudget* memory, ScanWorkers* of)
      : budget(memory), workers(of), team(of->team), rooms(of->rooms) {}

  // The stripe for who comes to it before the scan does.
  VisitedStripe Visited(size_t stripe) {
    return {stored_file, reader_options, projection, stripe, this, owner.lock()};
  }

  const OpenFile* file = nullptr;
  const OpenFile* stored_file = nullptr;  // The same, but not looked at through a LookAhead.
  const ReaderOptions* reader_options = nullptr;
  std::shared_ptr<const ScanProjection> projection;
  MemoryBudget* budget;
  StripeFetcher* fetcher = nullptr;  // Null: pages are read when they are needed.
  std::weak_ptr<const void> owner;   // Of file and options; none: they outlive the fetcher.
  ScanWorkers* workers;
  WorkerTeam& team;
  std::vector<DecodeRoom>& rooms;
  ScanStats stats;
  // A decoder that was made looks through `file`, and others must not: it is for one at a time.
  bool is_looked_through = false;
};

// What reading the pages of a stripe took.
struct PageWork {
  uint64_t bytes = 0;
  uint64_t reads = 0;
  double seconds_waited = 0;

  PageWork& operator+=(const PageWork& other) {
    bytes += other.bytes;
    reads += other.reads;
    seconds_waited += other.seconds_waited;
    return *this;
  }
};

class StripeDecoder {
 public:
  // So many columns before one is looked at its memory is asked for.
  static constexpr uint32_t kPrefetchAhead = 4;

  // Looks through the shared file.
  explicit StripeDecoder(ScanShared* shared);
  ~StripeDecoder();

  // From now on it looks through a view of its own, so that it may be used beside others.
  void LookAlone();
  // Rows [first, first + num_rows) of the stripe are wanted first: what they need is read in one
  // step, unless the stripe was fetched. The decoder is new or parked. `visit`: what the fetcher
  // knows it as; null: it does not.
  Status Plan(size_t stripe, uint32_t first, uint32_t num_rows, const VisitKey* visit = nullptr);
  // After Plan: about what the decoder will hold.
  uint64_t bytes_expected() const;
  // After Plan, once: decodes what all rows need, and where there is a team, or its helper calls
  // this, what is kept for the whole stripe. Of what goes wrong there Advance tells, in the order
  // of columns.
  Status Begin();
  // Both.
  Status Start(size_t stripe, uint32_t first, uint32_t num_rows, const VisitKey* visit = nullptr) {
    DSI_RETURN_IF_ERROR(Plan(stripe, first, num_rows, visit));
    return Begin();
  }
  // After Begin: what was read on the way and is not of the stripe is not kept any longer.
  void ForgetLooks() { file_->ahead()->Forget(); }
  // Is through with the stripe: its pages need not stay in memory. No helper works for it any more.
  void Park();
  // Moves to rows [first, first + num_rows) of the stripe, which lie behind those of the call
  // before. `chosen` not empty: only these of them are handed out (positions from `first` on,
  // ascending; they must outlive the views).
  // Without `may_touch` no unique rows are listed: GatheredRows does that for all its rows at once;
  // and no shape is sparse.
  Status Advance(uint32_t first, uint32_t num_rows, std::span<const uint32_t> chosen = {},
                 bool may_touch = true);

  const GroupRows& group(uint32_t i) const { return groups_[i].rows(); }
  // The group's unique rows are decoded whole for the stripe, and stay where they are.
  bool is_general(uint32_t i) const { return groups_[i].general(); }
  const ShapeView& shape(uint32_t i) const { return shapes_[i].view(); }
  // The shape with arrays, also where every row is present and of one length, or few are present.
  Result<ShapeView> ShapeArrays(uint32_t i) { return shapes_[i].Arrays(); }
  // The view of a shape and its values will be looked at; then, very soon after that was said.
  void Prefetch(uint32_t shape, uint32_t values) const {
    shapes_[shape].Prefetch();
    values_[values].Prefetch();
  }
  void PrefetchView(uint32_t shape, uint32_t values) const {
    shapes_[shape].PrefetchView();
    values_[values].PrefetchValues();
  }
  ValuesView values(uint32_t i) const { return values_[i].values(); }
  // Error for the first row of the current ones whose entries do not fit the type asked for; ok
  // when all do. `rows` not empty: only these are looked at (positions, ascending).
  Status CheckFit(uint32_t values, std::span<const uint32_t> rows = {});
  const ScanShared* shared() const { return shared_; }
  // Of the stripe so far; nothing of one that is parked.
  PageWork work() const;
  uint64_t bytes_needed() const { return plan_->bytes_needed; }

 private:
  Status StartColumns();
  void DecodeKept();
  Status RunWithPages(size_t count, const std::function<Status(size_t)>& work);
  Status StartGroups(uint32_t num_rows);
  void FindGroups();
  Status StartGroup(uint32_t g, uint32_t num_rows);
  void PrefetchShape(size_t shape) const {
    shapes_[shape].Prefetch();
    const uint32_t first = shape == 0 ? 0 : values_end_[shape - 1];
    if (first != values_end_[shape]) values_[values_by_shape_[first]].Prefetch();
  }
  Status AdvanceShape(size_t shape, bool may_be_sparse);
  Result<StreamWindow*> DictionaryOf(const ColumnPlan& column);
  Result<StreamWindow*> KeptStream(uint32_t stream, StreamWindow* dictionary);

  // A view of the file.
  struct Looks {
    Looks(const OpenFile& of, const ReaderOptions& options, MemoryBudget* budget)
        : ahead(&of.file(), options, budget), file(of.Through(&ahead)) {}
    LookAhead ahead;
    OpenFile file;
  };

  ScanShared* shared_;
  std::unique_ptr<Looks> own_looks_;  // Null: it looks through that of `shared`.
  const OpenFile* file_;
  MemoryCharge objects_;              // For the decoders themselves.
  uint64_t stripe_row_ = 0;           // Row of the file where the stripe starts.
  uint32_t first_ = 0;                // Current rows start here, …
  uint32_t passed_ = 0;               // … and end here.
  std::span<const uint32_t> chosen_;  // Of the current rows; empty: all.
  std::unique_ptr<StripePlan> plan_;
  PageReader pages_;
  PageWork past_;  // Of stripes before.
  StripeContext context_;
  std::recursive_mutex lending_;                               // Of the context.
  std::atomic<bool> any_ahead_ = false;                        // Of the context.
  FixedArray<GroupIndexDecoder> groups_;                       // Of the projection.
  std::vector<std::unique_ptr<GroupIndexDecoder>> ancestors_;  // Others that theirs refer to.
  TimeOrder time_;
  // By position in the plan.
  struct PlanGroup {
    GroupIndexDecoder* decoder = nullptr;
    bool want_touched = false;
    bool is_needed = false;  // By others, whole.
    uint32_t level = 0;      // All that it refers to are of lower ones.
  };
  std::vector<PlanGroup> plan_groups_;
  std::vector<uint32_t> level_;    // Groups of one level.
  uint32_t time_level_ = kNone32;  // The first that needs the time.
  FixedArray<ShapeDecoder> shapes_;
  // Dictionaries and sources: the first num_kept_ are those of this stripe, found by position in
  // the plan.
  std::vector<std::unique_ptr<StreamWindow>> kept_;
  uint32_t num_kept_ = 0;
  CountedVector<uint32_t> kept_by_stream_;
  std::vector<StreamWindow::KeptPage> kept_pages_;
  FixedArray<PoolDecoder> values_;
  // Positions in values_ by shape: those of shape i are [values_end_[i - 1], values_end_[i]).
  std::vector<uint32_t> values_by_shape_;
  std::vector<uint32_t> values_end_;
};

}  // namespace dsi::internal
