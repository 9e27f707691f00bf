// The rows of a stripe in the order of their time (spec D-006): decoded and sorted once, for all
// dedup groups that are told by time.
//
// Cost: the time column of the whole stripe, a radix sort of its unique rows, and 2 to 3 ns a row.
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <span>

#include "dsi/reader/decode/index_decoder_internal.h"
#include "dsi/reader/decode/stream_window_internal.h"

namespace dsi::internal {

// Sorts rows by times[index[row]], a time that is not present first, equal ones in row order. Its
// memory serves from call to call.
class TimeSort {
 public:
  explicit TimeSort(MemoryBudget* budget)
      : timed_(budget), other_(budget), rank_(budget), place_(budget), rows_(budget) {}

  // `present` has 0 or 1 for each time.
  void Run(std::span<const uint32_t> index, std::span<const int64_t> times,
           std::span<const uint8_t> present);
  std::span<const uint32_t> rows() const { return rows_; }

 private:
  struct Timed {
    uint64_t time = 0;  // Since the oldest.
    uint32_t unique = 0;
  };
  void SortTimed(uint64_t longest);
  uint32_t RankTimes(size_t num_times);

  CountedVector<Timed> timed_, other_;
  CountedVector<uint32_t> rank_, place_, rows_;
};

class TimeOrder {
 public:
  explicit TimeOrder(MemoryBudget* budget)
      : shape_(budget), values_(budget), present_(budget), times_(budget), sort_(budget) {}

  // Decodes and sorts, unless that has been done since the last Reset. The stripe is that of the
  // context's plan. `group`: that of the time column; has called KeepAll. Errors: those of
  // decoding, kCorrupt where shape and values disagree.
  Status Start(const StripeContext* context, const GroupIndexDecoder& group);
  // Another stripe comes.
  void Reset() { ready_ = false; }
  // Oldest first; empty before Start.
  std::span<const uint32_t> rows() const {
    return ready_ ? sort_.rows() : std::span<const uint32_t>();
  }

 private:
  bool ready_ = false;
  StreamWindow shape_, values_;
  CountedVector<uint8_t> present_;
  CountedVector<int64_t> times_;
  TimeSort sort_;
};

}  // namespace dsi::internal
