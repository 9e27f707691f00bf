// The decoders of the stripes that a batch lies in: put to work, moved on, and parked for the next
// stripe.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/reader/scan/fill_batch_internal.h"
#include "dsi/reader/scan/gathered_rows_internal.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"
#include "dsi/reader/scan/stripes_ahead_internal.h"

namespace dsi::internal {

// The rows of a batch: count of them from `first` on, or those picked by a filter.
struct BatchRows {
  uint64_t first = 0;
  uint32_t count = 0;
  bool is_picked = false;
  std::span<const uint64_t> picked = {};

  uint64_t at(uint32_t i) const { return is_picked ? picked[i] : first + i; }
};

class StripeDecoders {
 public:
  StripeDecoders(ScanShared* shared, uint32_t batch_size)
      : shared_(shared),
        batch_size_(batch_size),
        chosen_(shared->budget),
        ahead_(&shared->team, shared->budget, batch_size) {}

  // All rows of these stripes will be asked for: helpers may begin with them before that.
  void DecodeAhead(std::unique_ptr<StripeVisits> visits) { ahead_.Follow(std::move(visits)); }

  // Decodes what these rows need, which lie behind those of the call before. Adds to
  // stats.bytes_needed. Errors: those of reading and decoding, kOutOfRange for a value that does
  // not fit its dtype.
  Status Decode(const BatchRows& rows);
  // One for each stripe that the rows lie in.
  std::span<const BatchPiece> pieces() const { return pieces_; }
  // The pieces are used, and `next_row` comes next: all stripes before it are done with.
  void Release(uint64_t next_row);

  PageWork work() const;

 private:
  Status Gather(const BatchRows& rows, const BatchPiece& piece);
  Status AdvanceOver(const BatchRows& rows, StripeDecoder* decoder, uint32_t first, uint32_t count,
                     bool gathers);
  Status Activate(uint64_t row, uint32_t num_rows);
  const StripeRef& stripe() const { return shared_->file->core().stripes[stripe_]; }

  ScanShared* shared_;
  uint32_t batch_size_;
  size_t stripe_ = 0;                                   // Of the row being looked at.
  size_t active_stripe_ = 0;                            // Of the last active decoder.
  std::vector<std::unique_ptr<StripeDecoder>> active_;  // Of the current batch.
  PageWork past_;                                       // Of decoders that were.
  std::vector<BatchPiece> pieces_;
  std::vector<std::unique_ptr<GatheredRows>> gathered_;
  CountedVector<uint32_t> chosen_;  // Rows picked, from the start of each piece or block.
  StripesAhead ahead_;
};

}  // namespace dsi::internal
