// Memory of decoded rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

// Memory aligned to 64 bytes that grows and is counted. Kernels may read kSlack bytes behind what
// is used.
class ScanBuffer {
 public:
  static constexpr size_t kSlack = 64;
  explicit ScanBuffer(MemoryBudget* budget) : budget_(budget) {}
  ~ScanBuffer();
  ScanBuffer(ScanBuffer&& other) noexcept
      : budget_(other.budget_),
        data_(std::exchange(other.data_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)),
        block_capacity_(std::exchange(other.block_capacity_, 0)) {}
  ScanBuffer& operator=(ScanBuffer&&) = delete;
  // Room for `size` bytes and the slack; the first `keep` bytes survive. kResourceExhausted.
  Status Reserve(uint64_t size, uint64_t keep);
  std::byte* data() const { return data_; }
  uint64_t capacity() const { return capacity_; }
  MemoryBudget* budget() const { return budget_; }
  // Gives everything back.
  void Release();

 private:
  MemoryBudget* budget_;
  std::byte* data_ = nullptr;
  uint64_t capacity_ = 0;      // As charged.
  size_t block_capacity_ = 0;  // As allocated.
};

}  // namespace dsi::internal
