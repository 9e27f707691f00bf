// The different values of one column and how often each came. Where they stand in tables nobody can
// know beforehand, so that no file can have them all collide.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/base/split_mix_internal.h"
#include "dsi/dataset/value_counts.h"
#include "dsi/reader/batch.h"

namespace dsi::internal {

// Numbers by their 64 bits. An open-addressing table that doubles when three quarters full.
class NumberTally {
 public:
  explicit NumberTally(MemoryBudget* budget);

  // `count` is not 0. Throws OverBudget.
  void Add(uint64_t bits, uint64_t count);
  // The slot that Add will look at first.
  void Prefetch(uint64_t bits) const { __builtin_prefetch(&slots_[At(bits)], 1); }
  size_t size() const { return size_; }

  template <typename Visit>
  void VisitAll(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.count != 0) visit(slot.bits, slot.count);
    }
  }

 private:
  struct Slot {
    uint64_t bits = 0;
    uint64_t count = 0;  // 0: free.
  };

  size_t At(uint64_t bits) const { return Mix64(bits ^ seed_) & (slots_.size() - 1); }
  void Grow();

  CountedVector<Slot> slots_;
  size_t size_ = 0;
  uint64_t seed_;
};

class ValueTally {
 public:
  // Batches have the column as IKJT of int64, uint64, float64 or strings, whatever `stored` is.
  ValueTally(std::string column, Type stored, MemoryBudget* budget);

  // The rows of a batch: `times[u]` of them are unique row u. Throws OverBudget.
  void AddRows(const JaggedView& unique, std::span<const uint32_t> times);
  // What was added, in the order of ValueCounts.
  ValueCounts Take();

 private:
  void AddLengths(const JaggedView& unique, std::span<const uint32_t> times);
  void AddNumbers(const JaggedView& unique, std::span<const uint32_t> times);
  void AddTexts(const JaggedView& unique, std::span<const uint32_t> times);

  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const;
    uint64_t seed;
  };

  ValueCounts counts_;
  NumberTally numbers_;
  std::unordered_map<std::string, uint64_t, TextHash, std::equal_to<>> texts_;
  MemoryBudget* budget_;
  MemoryCharge text_bytes_;
};

}  // namespace dsi::internal
