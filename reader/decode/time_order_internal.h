// The rows of a stripe in the order of their time (spec D-006): decoded and sorted once, for all
// dedup groups that are told by time.
//
// Cost: the time column of the whole stripe, and 8 to 20 ns a row, the less the more are in order.
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <span>

#include "dsi/reader/decode/index_decoder_internal.h"
#include "dsi/reader/decode/stream_window_internal.h"

namespace dsi::internal {

// Sorts rows by the time of their unique row, one that is not present first, equal ones in row
// order. Its memory serves from call to call.
class TimeSort {
 public:
  explicit TimeSort(MemoryBudget* budget)
      : since_(budget),
        rows_(budget),
        late_(budget),
        keys_(budget),
        other_(budget),
        places_(budget) {}

  // `index`: the unique row of each row. `present` has 0 or 1 for each unique row; the times of
  // those that have 1 lie at `times`, 8 bytes each. kResourceExhausted.
  Status Run(std::span<const uint32_t> index, std::span<const uint8_t> present,
             const std::byte* times);
  std::span<const uint32_t> rows() const {
    return {reinterpret_cast<const uint32_t*>(rows_.data()), num_rows_};
  }

 private:
  uint64_t MeasureTimes(std::span<const uint8_t> present, const std::byte* times);
  std::span<uint32_t> TakeLate(std::span<const uint32_t> index, std::span<uint32_t> rows);
  Status SortLate(std::span<const uint32_t> index, uint64_t longest, std::span<uint32_t> rows);
  void MergeLate(std::span<const uint32_t> index, std::span<uint32_t> rows,
                 std::span<const uint32_t> late);
  uint64_t* SortKeys(size_t count, int shift, int num_bits);

  ScanBuffer since_;         // Per unique row, 64 bits: how long after the oldest.
  ScanBuffer rows_, late_;   // 32 bits each.
  ScanBuffer keys_, other_;  // Bits of a late row's time, and the row below them: 64 bits.
  size_t num_rows_ = 0;
  CountedVector<uint32_t> places_;  // Where the next key of a digit goes.
};

class TimeOrder {
 public:
  explicit TimeOrder(MemoryBudget* budget)
      : shape_(budget), values_(budget), present_(budget), sort_(budget) {}

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
  TimeSort sort_;
};

}  // namespace dsi::internal
