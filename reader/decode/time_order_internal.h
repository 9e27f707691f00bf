// Rows of owners in the order of their time (spec D-006).
//
// Cost: the time column of a stripe, decoded once for all dedup groups that are told by time; for
// each of these about 10 ns a row, where the rows of an owner stand nearly in order.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "dsi/reader/decode/stream_window_internal.h"

namespace dsi::internal {

class GroupIndexDecoder;

// Sorts as rows of an owner stand: those without a time first, equal ones by row.
struct TimedRow {
  int64_t time = 0;  // The least where there is none.
  bool is_timed = false;
  uint32_t row = 0;

  auto operator<=>(const TimedRow&) const = default;
};

// When the rows of a stripe were. Empty: nothing is known.
struct RowTimes {
  std::span<const uint32_t> index;    // The unique row of each row.
  const std::byte* times = nullptr;   // Per unique row 64 bits, the least where it has none.
  std::span<const uint8_t> is_timed;  // Per unique row, 0 or 1; empty: all are.
};

// All rows by owner, then time. `owners`: of each row. `ends`: a zero for each owner, then where
// its rows end. `rows`: room for as many as owners. `scratch`: for owners whose rows do not stand
// in order.
void OrderRows(const RowTimes& times, std::span<const uint32_t> owners, std::span<uint32_t> ends,
               uint32_t* rows, CountedVector<TimedRow>* scratch);

// The time column of a stripe. Thread safety: one thread at a time.
class TimeOrder {
 public:
  explicit TimeOrder(MemoryBudget* budget) : shape_(budget), values_(budget), filled_(budget) {}

  // Decodes the times, unless that has been done since the last Reset. The stripe is that of the
  // context's plan. `group`: that of the time column; has called KeepAll, and keeps what it has.
  // Errors: those of decoding, kCorrupt where shape and values disagree.
  Status Start(const StripeContext* context, const GroupIndexDecoder& group);
  // Another stripe comes.
  void Reset() { times_ = {}; }
  // Empty before Start.
  const RowTimes& times() const { return times_; }

 private:
  Status FillIn(std::span<const uint8_t> codes);

  StreamWindow shape_, values_;
  ScanBuffer filled_;  // Times, where some unique rows have none.
  RowTimes times_;
};

}  // namespace dsi::internal
