// A number of bytes that many arrays share: whatever a file can size is charged to one.
//
// Arrays charge it in three ways: vectors through their allocator, blocks by hand, and records of
// which only the number matters as one sum. Threads may charge one budget at once; it outlives all
// that is charged to it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "dsi/base/block_memory_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

struct MemoryBudget {
  uint64_t limit = UINT64_MAX;
  std::atomic<uint64_t> used = 0;

  uint64_t left() const { return limit - std::min(limit, used.load(std::memory_order_relaxed)); }
  // kResourceExhausted: more than is left, and nothing was taken.
  Status Take(uint64_t bytes) { return TryTake(bytes) ? Status::Ok() : Refusal(bytes); }
  bool TryTake(uint64_t bytes) {
    const uint64_t before = used.fetch_add(bytes, std::memory_order_relaxed);
    if (before <= limit && bytes <= limit - before) return true;
    Give(bytes);
    return false;
  }
  // Takes it whether it fits or not.
  void Count(uint64_t bytes) { used.fetch_add(bytes, std::memory_order_relaxed); }
  void Give(uint64_t bytes) { used.fetch_sub(bytes, std::memory_order_relaxed); }
  // What Take says where it fails.
  Status Refusal(uint64_t bytes) const;
};

// Thrown by vectors that do not fit their budget; StatusOfException makes a Status of it.
class OverBudget final : public std::bad_alloc {
 public:
  OverBudget(uint64_t wanted, const MemoryBudget& budget)
      : wanted_(wanted), left_(budget.left()), limit_(budget.limit) {}
  const char* what() const noexcept override { return "over the memory budget"; }
  Status ToStatus() const;

 private:
  uint64_t wanted_, left_, limit_;
};

// Charges what a container holds. Without a budget nothing is counted.
template <typename T>
class CountedAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  CountedAllocator(MemoryBudget* budget = nullptr)  // NOLINT(google-explicit-constructor)
      : budget_(budget) {}
  template <typename U>
  CountedAllocator(const CountedAllocator<U>& other)  // NOLINT(google-explicit-constructor)
      : budget_(other.budget()) {}

  T* allocate(size_t count) {
    if (budget_ == nullptr) return std::allocator<T>().allocate(count);
    const uint64_t bytes = uint64_t{count} * sizeof(T);  // A vector bounds the count.
    if (!budget_->TryTake(bytes)) throw OverBudget(bytes, *budget_);
    try {
      return SharesHugePages(bytes) ? InHugePages(bytes) : std::allocator<T>().allocate(count);
    } catch (...) {
      budget_->Give(bytes);
      throw;
    }
  }
  void deallocate(T* items, size_t count) {
    const uint64_t bytes = uint64_t{count} * sizeof(T);
    if (budget_ != nullptr && SharesHugePages(bytes)) {
      FreeBlock(reinterpret_cast<std::byte*>(items), BlockBytes(bytes));
    } else {
      std::allocator<T>().deallocate(items, count);
    }
    if (budget_ != nullptr) budget_->Give(bytes);
  }
  MemoryBudget* budget() const { return budget_; }
  template <typename U>
  bool operator==(const CountedAllocator<U>& other) const {
    return budget_ == other.budget();
  }

 private:
  static T* InHugePages(uint64_t bytes) {
    size_t capacity = 0;
    std::byte* const block = AllocateBlock(bytes, &capacity);
    if (block == nullptr) throw std::bad_alloc();
    return reinterpret_cast<T*>(block);
  }

  MemoryBudget* budget_;
};

template <typename T>
using CountedVector = std::vector<T, CountedAllocator<T>>;

// Bytes charged until it goes away.
class MemoryCharge {
 public:
  explicit MemoryCharge(MemoryBudget* budget = nullptr) : budget_(budget) {}
  ~MemoryCharge() { Set(0); }
  MemoryCharge(MemoryCharge&& other) noexcept;
  MemoryCharge& operator=(MemoryCharge&& other) noexcept;

  // Holds so many more. kResourceExhausted: it holds what it held.
  Status Add(uint64_t bytes);
  // Holds so many, whether they fit or not: what exists already must be counted.
  void Set(uint64_t bytes);
  uint64_t bytes() const { return bytes_; }

 private:
  MemoryBudget* budget_;
  uint64_t bytes_ = 0;
};

}  // namespace dsi::internal
