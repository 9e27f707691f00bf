// From a projection to the pages of one stripe, to few reads, to verified page bytes.
//
// A plan is made from records alone, before a page is read: which streams the columns need, which
// pages those need, and which pages are read together. The PageReader then reads range by range as
// pages are asked for, checks each page's seal once, and gives a range's memory back when all its
// pages are done with.
//
// Cost: one record lookup per stream, one per page; memory as many bytes as the ranges in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/reader/open_file_internal.h"
#include "dsi/reader/reader.h"

namespace dsi::internal {

enum class StreamRole : uint8_t { kShape, kWindows, kValues, kIndex, kDictionary };

// "shape", "windows", "values", "index", "dictionary".
std::string_view StreamRoleName(StreamRole role);

// One stream of a stripe. Streams that several columns share (shape, index, dictionary) stand once.
struct PlannedStream {
  uint32_t slot = kNone32;
  StreamRole role = StreamRole::kValues;
  uint32_t column = 0;  // The first column of the projection that needs it; for messages.
  uint32_t group = 0;   // Of an index.
  StreamRecord record;
  // Form 3: position of its first page in StripePlan::pages; the rest follow. Form 2: of its page.
  uint32_t first_planned_page = kNone32;
};

// A dedup group that a column of the plan belongs to, or that such a group's index refers to.
struct PlannedGroup {
  uint32_t ordinal = 0;
  uint32_t parent = kNone32;  // Position in StripePlan::groups, before it; forms 4 and 5.
  uint32_t index = kNone32;   // Position in StripePlan::streams; none in form 0.
  StripeGroupRecord record;
};

// Positions in StripePlan::streams. `windows` is kNone32 where values stand one after another,
// `dictionary` without an id space.
struct ColumnPlan {
  uint32_t shape = kNone32;
  uint32_t windows = kNone32;
  uint32_t values = kNone32;
  uint32_t dictionary = kNone32;
  uint32_t group = 0;  // Position in StripePlan::groups.
  // Tiers (D-014): how many the pool is spread over, 0 none; streams of those after tier 0 that are
  // needed; values of all of them.
  uint32_t num_tiers = 0;
  std::vector<uint32_t> tiers;
  uint64_t pool_values = 0;
};

struct PlannedPage {
  uint32_t ordinal = 0;   // In the stripe's page table.
  uint32_t range = 0;     // Position in StripePlan::ranges.
  uint32_t num_uses = 0;  // Streams of the plan with a node in it.
  bool owned = false;     // By a stream of form 3.
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
  std::vector<PlannedPage> pages;      // By ordinal, which is also by offset.
  std::vector<PlannedRange> ranges;    // By offset.
  uint64_t bytes = 0;                  // Sum of the ranges.
  uint64_t bytes_needed = 0;           // Pages alone.
};

// Streams of a column agree with each other, with its group and with the stripe as far as records
// tell (F-060, F-061, D-001, D-003, D-010, D-011): widths, counts of shape and index streams,
// forms. What only decoded values tell is left to who decodes, and an unknown form of an index to
// who decodes that.
Result<StripePlan> PlanStripe(const OpenFile& file, std::span<const OpenColumn> columns,
                              size_t stripe, const ReaderOptions& options);

// Thread safety: one thread at a time. File and plan must outlive the reader.
class PageReader {
 public:
  explicit PageReader(const OpenFile* file);
  ~PageReader();
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;

  // Starts on another stripe.
  void Start(const StripePlan* plan);

  // Verified bytes of planned page `page` (a position in the plan, not an ordinal). Reads its range
  // when it is not in memory. Valid until Done has been called for all uses of all pages of the
  // range, or Start. kCorrupt names stripe, page and offset.
  Result<std::span<const std::byte>> Page(uint32_t page);

  // Verified bytes of a stream's node: form 2, k = 0: the part of its page; form 3: its page k.
  Result<std::span<const std::byte>> Node(const PlannedStream& stream, uint32_t k);

  // The caller is through with the node that Node(stream, k) gave. Optional: without it a range
  // stays in memory until Start.
  void Done(const PlannedStream& stream, uint32_t k);

  // Reads and verifies planned pages [first, first + n) now.
  Status Load(uint32_t first, uint32_t n);

  uint64_t bytes_read() const;  // Since construction.
  uint64_t reads() const;
  uint64_t bytes_held() const;  // In ranges now in memory.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "stripe 0, column user.clicks, values stream": where a stream stands, for messages.
std::string DescribeStream(const StripePlan& plan, std::span<const OpenColumn> columns,
                           const PlannedStream& stream);

}  // namespace dsi::internal
