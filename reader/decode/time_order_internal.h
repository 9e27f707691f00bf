// Rows of owners in the order of their time (spec D-006).
//
// Cost: the time column of a stripe, decoded once for all dedup groups that are told by time; for
// each of these about 5 ns a row where the rows of each owner stand in order, else 10 ns, and once
// 10 ns a row for all of them.
#pragma once

#include <cstdint>
#include <span>

#include "dsi/reader/decode/stream_window_internal.h"

namespace dsi::internal {

class GroupIndexDecoder;

// When the rows of a stripe were. Empty: nothing is known.
struct RowTimes {
  std::span<const uint32_t> index;    // The unique row of each row.
  const std::byte* times = nullptr;   // Per unique row 64 bits, the least where it has none.
  std::span<const uint8_t> is_timed;  // Per unique row, 0 or 1; empty: all are.
};

// The rows of a stripe in the order of their time: those without one first, equal ones by row.
//
// Thread safety: one thread at a time.
class RowsByTime {
 public:
  explicit RowsByTime(MemoryBudget* budget) : budget_(budget), sorted_(budget) {}

  // Those of a stripe; empty: nothing is known of it yet.
  void Set(const RowTimes& times) {
    times_ = times;
    sorted_.clear();
  }
  const RowTimes& times() const { return times_; }
  // Sorts them when it is first asked, in 16 bytes a row beside the 4 that stay. Throws where the
  // budget is too small.
  std::span<const uint32_t> Sorted();

 private:
  // Add the rows that have a time.
  void AddByDigits(int64_t least, int row_bits);
  void AddByComparing();

  MemoryBudget* budget_;
  RowTimes times_;
  CountedVector<uint32_t> sorted_;
};

// All rows by owner, then time. `owners`: of each row. `ends`: a zero for each owner, then where
// its rows end. `rows`: room for as many as owners. Throws as Sorted does.
void OrderRows(RowsByTime* by_time, std::span<const uint32_t> owners, std::span<uint32_t> ends,
               uint32_t* rows);

// The time column of a stripe. Thread safety: one thread at a time.
class TimeOrder {
 public:
  explicit TimeOrder(MemoryBudget* budget)
      : shape_(budget), values_(budget), filled_(budget), rows_(budget) {}

  // Decodes the times, unless that has been done since the last Reset. The stripe is that of the
  // context's plan. `group`: that of the time column; has called KeepAll, and keeps what it has.
  // Errors: those of decoding, kCorrupt where shape and values disagree.
  Status Start(const StripeContext* context, const GroupIndexDecoder& group);
  // Another stripe comes.
  void Reset() { rows_.Set({}); }
  // Without times before Start.
  RowsByTime* rows() { return &rows_; }

 private:
  Status FillIn(std::span<const uint8_t> codes, RowTimes* times);

  StreamWindow shape_, values_;
  ScanBuffer filled_;  // Times, where some unique rows have none.
  RowsByTime rows_;
};

}  // namespace dsi::internal
