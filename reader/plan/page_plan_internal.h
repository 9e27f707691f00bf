// From a projection to the pages of one stripe, to few reads, to verified page bytes.
//
// A plan is made from records alone, before a page is read: which streams the columns need, which
// pages those need, and which pages are read together. The PageReader then reads range by range as
// pages are asked for, checks each page's seal once, and lets a range go when nobody will ask for
// its pages any more. Who has been given bytes holds the memory they lie in, whatever becomes of
// the range.
//
// Cost: one record lookup per stream, one per page; memory as many bytes as the ranges in use,
// which like the plan itself are charged to a budget.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/read_plan.h"

namespace dsi::internal {

enum class StreamRole : uint8_t { kShape, kWindows, kValues, kIndex, kDictionary };

// kUnsupported: a form that is not known.
Status CheckIndexForm(size_t stripe, IndexForm form);

// "shape", "windows", "values", "index", "dictionary".
std::string_view StreamRoleName(StreamRole role);

// One stream of a stripe. Streams that several columns share (shape, index, dictionary) stand once.
struct PlannedStream {
  uint32_t slot = kNone32;
  StreamRole role = StreamRole::kValues;
  // The first column of the projection that needs it, for messages; kNone32: only StripePlan::time.
  uint32_t column = 0;
  // Whose stream it is (F-075): ordinal of a column (shape and windows: the leader), of a dedup
  // group, of an id space.
  uint32_t owner = 0;
  // Needed only as the source of another column's values, or as the dictionary of such a source.
  bool lends = false;
  StreamRecord record;
  // Form 3: position of its first page in StripePlan::pages; the rest follow. Form 2: of its page.
  uint32_t first_planned_page = kNone32;
};

// A dedup group that a column of the plan belongs to, or that such a group's index refers to.
struct PlannedGroup {
  uint32_t ordinal = 0;
  uint32_t parent = kNone32;  // Position in StripePlan::groups, before it; forms 4 … 6.
  uint32_t index = kNone32;   // Position in StripePlan::streams; none in form 0.
  StripeGroupRecord record;

  // Any row may be any unique row.
  bool is_general() const { return record.form >= IndexForm::kGeneral; }
};

// The entries of windows, which only their codes tell.
inline constexpr uint64_t kUnknownValues = UINT64_MAX;

// Positions in StripePlan::streams. `windows` is kNone32 where values stand one after another,
// `dictionary` without an id space and where there is a source. OpenColumn::shape_only: a shape
// alone.
struct ColumnPlan {
  uint32_t shape = kNone32;
  uint32_t windows = kNone32;
  uint32_t values = kNone32;
  uint32_t dictionary = kNone32;
  // The values that stand in for the dictionary (F-066), and the dictionary that they have.
  uint32_t source = kNone32;
  uint32_t source_dictionary = kNone32;
  uint32_t group = 0;  // Position in StripePlan::groups.
  // Tiers (D-014): how many the pool is spread over, 0 none; streams of those after tier 0 that are
  // needed; values of all of them.
  uint32_t num_tiers = 0;
  std::vector<uint32_t> tiers;
  uint32_t newest = 0;       // Of OpenColumn.
  uint64_t pool_values = 0;  // Of a shape alone: kUnknownValues where they are windows.

  // The stream whose values the codes refer to; none: nothing.
  uint32_t looked_up() const { return source == kNone32 ? dictionary : source; }
};

// The time column (D-006), where a group is of form 6. Positions in StripePlan::groups, which is
// before those of form 6, and in StripePlan::streams.
struct PlannedTime {
  uint32_t group = kNone32;  // None: no group of form 6.
  uint32_t shape = kNone32;
  uint32_t values = kNone32;
  std::string name;
};

struct PlannedPage {
  uint32_t ordinal = 0;  // In the stripe's page table.
  uint32_t range = 0;    // Position in StripePlan::ranges.
  bool owned = false;    // By a stream of form 3.
  PageRecord record;
};

// Bytes read in one go: pages [first_page, first_page + num_pages) of the plan and the gaps
// between.
struct PlannedRange {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t first_page = 0;
  uint32_t num_pages = 0;
};

struct StripePlan {
  size_t stripe = 0;
  std::vector<ColumnPlan> columns;     // Parallel to the projection.
  std::vector<PlannedGroup> groups;    // Parents before those that refer to them.
  std::vector<PlannedStream> streams;  // In order of first need.
  PlannedTime time;
  std::vector<PlannedPage> pages;    // By ordinal, which is also by offset.
  std::vector<PlannedRange> ranges;  // By offset.
  uint64_t bytes = 0;                // Sum of the ranges.
  uint64_t bytes_needed = 0;         // Pages alone.
  MemoryCharge charge;               // For the records above.
};

// Streams of a column agree with each other, with its group and with the stripe as far as records
// tell (F-060, F-061, F-077, D-001, D-003, D-010, D-011): widths, counts of shape and index
// streams, forms. What only decoded values tell is left to who decodes, and an unknown form of an
// index to who decodes that. The plan is charged to `budget`, which may be null.
Result<StripePlan> PlanStripe(const OpenFile& file, std::span<const OpenColumn> columns,
                              size_t stripe, const ReaderOptions& options, MemoryBudget* budget);

// The same in as few steps as it can be, for a file that is looked at through a LookAhead.
Result<StripePlan> PlanTogether(const OpenFile& file, std::span<const OpenColumn> columns,
                                size_t stripe, const ReaderOptions& options, MemoryBudget* budget);

// Calls visit(stream, all) for the streams that the rows of columns need, and says whether any row
// may need any of the values. What others look up in is not among them, but dictionaries are.
template <typename Visit>
void VisitNeeds(const StripePlan& plan, const Visit& visit) {
  for (const PlannedGroup& group : plan.groups) {
    if (group.index != kNone32) visit(plan.streams[group.index], group.is_general());
  }
  if (plan.time.group != kNone32) {
    for (const uint32_t at : {plan.time.shape, plan.time.values}) visit(plan.streams[at], true);
  }
  for (const ColumnPlan& column : plan.columns) {
    const bool all = plan.groups[column.group].is_general();
    for (const uint32_t at : {column.shape, column.windows, column.values}) {
      if (at != kNone32) visit(plan.streams[at], all);
    }
    if (column.dictionary != kNone32) visit(plan.streams[column.dictionary], true);
    for (const uint32_t at : column.tiers) visit(plan.streams[at], all);
  }
}

// Rows [begin, end) of a stripe of num_rows.
struct StripeRows {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t num_rows = 0;
};

// Positions in plan.ranges in the order in which a scan of these rows needs them; those that only
// other rows seem to need are left out.
std::vector<uint32_t> RangesByNeed(const StripePlan& plan, const StripeRows& rows);

// Bytes of a page or a node, and a share in the memory they lie in.
struct PageBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;
};

// Ranges of a plan that other threads read ahead of need. Thread safety: all of it.
class FetchedRanges {
 public:
  explicit FetchedRanges(size_t num_ranges) : ranges_(num_ranges) {}

  // Says that this thread reads the range now; false: another does, or did.
  bool Claim(size_t range);
  // Ends a claim: the bytes, or null where reading failed, and who needs them reads for itself.
  void Put(size_t range, std::shared_ptr<const std::byte> bytes);
  // Says that who needs it has it.
  void Skip(size_t range);
  // The bytes of a range, which are not kept here any longer. Waits for a thread that reads it;
  // null: nobody does, and the range is claimed by the caller.
  std::shared_ptr<const std::byte> Take(size_t range);

 private:
  enum class Progress : uint8_t { kUnread, kReading, kRead, kTaken };
  struct Range {
    Progress progress = Progress::kUnread;
    std::shared_ptr<const std::byte> bytes;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Range> ranges_;
};

// Notes the ranges that these rows need, in the order of need as far as there is room; those that
// `fetched` (null: none) has not, which are claimed. Returns them.
std::vector<uint32_t> NotePages(const StripePlan& plan, const StripeRows& rows,
                                const MemoryBudget* budget, LookAhead* ahead,
                                FetchedRanges* fetched = nullptr);

// Thread safety: several threads may ask for pages and say what they are done with at once. File,
// plan and budget must outlive the reader, and the budget what the reader has handed out.
class PageReader {
 public:
  PageReader(const OpenFile* file, MemoryBudget* budget);
  ~PageReader();
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;

  // Starts on another stripe. Ranges that `ahead` (null: none) holds, or `fetched` (null: none),
  // are not read again.
  void Start(const StripePlan* plan, const LookAhead* ahead = nullptr,
             std::shared_ptr<FetchedRanges> fetched = nullptr);
  // Is through with the stripe: nothing stays in memory.
  void Stop();

  // Verified content of planned page `page` (a position in the plan, not an ordinal). Reads its
  // range when it is not in memory. kCorrupt names stripe, page and offset.
  Result<PageBytes> Page(uint32_t page);

  // Verified bytes of a stream's node: form 2, k = 0: the part of its page; form 3: its page k.
  Result<PageBytes> Node(const PlannedStream& stream, uint32_t k);

  // Somebody will ask for the nodes of the stream, once each, and say when a node is done with or
  // not wanted after all. From LetGo on, which is for when everybody has spoken, a range leaves the
  // memory as soon as nobody waits for it; it would be read once more if its pages were asked for
  // then. All three are hints about memory: without them a range stays until Start.
  void Expect(const PlannedStream& stream);
  void Done(const PlannedStream& stream, uint32_t k);
  void LetGo();

  uint64_t bytes_read() const;  // Since construction.
  uint64_t reads() const;
  double seconds_waited() const;  // For bytes.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "stripe 0, column user.clicks, values stream": where a stream stands, for messages.
std::string DescribeStream(const StripePlan& plan, std::span<const OpenColumn> columns,
                           const PlannedStream& stream);

}  // namespace dsi::internal
