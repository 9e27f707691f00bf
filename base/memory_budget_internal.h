// A number of bytes that many arrays share: whatever a file can size is charged to one.
//
// Arrays charge it in three ways: vectors through their allocator, blocks by hand, and records of
// which only the number matters as one sum. A budget belongs to one thread at a time and outlives
// all that is charged to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "dsi/base/status.h"

namespace dsi::internal {

struct MemoryBudget {
  uint64_t limit = UINT64_MAX;
  uint64_t used = 0;

  uint64_t left() const { return limit - std::min(limit, used); }
  // kResourceExhausted: more than is left, and nothing was taken.
  Status Take(uint64_t bytes);
  void Give(uint64_t bytes) { used -= bytes; }
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
    if (bytes > budget_->left()) throw OverBudget(bytes, *budget_);
    T* const items = std::allocator<T>().allocate(count);
    budget_->used += bytes;
    return items;
  }
  void deallocate(T* items, size_t count) {
    std::allocator<T>().deallocate(items, count);
    if (budget_ != nullptr) budget_->Give(uint64_t{count} * sizeof(T));
  }
  MemoryBudget* budget() const { return budget_; }
  template <typename U>
  bool operator==(const CountedAllocator<U>& other) const {
    return budget_ == other.budget();
  }

 private:
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
