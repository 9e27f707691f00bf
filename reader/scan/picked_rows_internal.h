// Some of the rows that a decoder stands on, or that were gathered: unique rows stay where they
// are, and only the index is picked. So rows of a window go into many batches while what they refer
// to is decoded once.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/reader/scan/gathered_rows_internal.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"

namespace dsi::internal {

class PickedRows {
 public:
  explicit PickedRows(const ScanShared* shared);
  // Rows `rows` (positions, ascending) of those gathered, or where `gathered` is null of the
  // decoder's current ones. Both must outlive the views, and stay where they are. Only `groups` are
  // picked.
  void Pick(const StripeDecoder& decoder, const GatheredRows* gathered,
            std::span<const uint32_t> groups, std::span<const uint32_t> rows);
  const GroupRows& group(uint32_t i) const { return groups_[i].rows; }

 private:
  struct Group {
    explicit Group(MemoryBudget* budget)
        : slots(budget), touched(budget), inverse(budget), renumber(budget) {}
    CountedVector<uint32_t> slots, touched, inverse;
    BatchUnique renumber;
    GroupRows rows;
  };
  const ScanProjection& projection_;
  std::vector<Group> groups_;
};

}  // namespace dsi::internal
