// Rows of one dataset for which the other has not had one of the same hash yet.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/dataset/compare/row_hash_internal.h"

namespace dsi::internal {

enum class CompareSide : uint8_t { kA, kB };

class WaitingRows {
 public:
  struct Row {
    uint64_t number = 0;
    std::span<const uint64_t> words;  // Valid until a row waits.
  };

  // With each row so many words are kept.
  WaitingRows(size_t num_words, MemoryBudget* budget)
      : chains_(Chains::allocator_type(budget)),
        rows_(budget),
        words_(budget),
        num_words_(num_words) {}

  // Whether rows of this hash wait; they are all of one side.
  bool Has(const RowHash& hash) const { return !chains_.empty() && chains_.contains(hash); }
  // Takes out the row of the other side that has waited longest; none waits: the caller's row is
  // to Wait.
  std::optional<Row> Meet(CompareSide side, const RowHash& hash);
  // `words` are written by the caller. Throws OverBudget.
  std::span<uint64_t> Wait(CompareSide side, const RowHash& hash, uint64_t number);

  uint64_t count(CompareSide side) const { return counts_[static_cast<size_t>(side)]; }
  // The least number; 0 where none waits.
  uint64_t First(CompareSide side) const;

 private:
  static constexpr size_t kNone = SIZE_MAX;
  struct Chain {
    CompareSide side = CompareSide::kA;
    size_t first = kNone;
    size_t last = kNone;
  };
  struct Waiting {
    uint64_t number = 0;
    size_t next = kNone;  // Of the chain, or of those that are free.
  };
  using Chains = std::unordered_map<RowHash, Chain, HashOfRowHash, std::equal_to<>,
                                    CountedAllocator<std::pair<const RowHash, Chain>>>;

  size_t NewRow();

  Chains chains_;
  CountedVector<Waiting> rows_;
  CountedVector<uint64_t> words_;  // num_words_ of each row.
  size_t num_words_;
  size_t first_free_ = kNone;
  uint64_t counts_[2] = {0, 0};
};

}  // namespace dsi::internal
