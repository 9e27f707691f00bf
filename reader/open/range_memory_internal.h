// Memory that a range of the file is read into, charged to a budget.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dsi/base/block_memory_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/memory_budget_internal.h"

namespace dsi::internal {

// Not a vector: it is filled by a read, and zeroing it first would cost a pass.
class RangeMemory {
 public:
  explicit RangeMemory(MemoryBudget* budget) : charge_(budget) {}
  ~RangeMemory() { FreeBlock(bytes_, capacity_); }
  RangeMemory(RangeMemory&& other) noexcept
      : charge_(std::move(other.charge_)),
        bytes_(std::exchange(other.bytes_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  RangeMemory& operator=(RangeMemory&& other) noexcept {
    std::swap(charge_, other.charge_);
    std::swap(bytes_, other.bytes_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  // Once. kResourceExhausted.
  Status Reserve(uint64_t size) {
    // Ranges of nearly the same size take turns in blocks.
    const uint64_t wanted = std::bit_ceil(size);
    if (Status status = charge_.Add(wanted); !status.ok())
      return status.At(fmt::format("a read of {} bytes", size));
    bytes_ = AllocateBlock(wanted, &capacity_);
    if (bytes_ != nullptr) return Status::Ok();
    return Error(StatusCode::kResourceExhausted, "no memory for a read of {} bytes", size);
  }
  std::byte* bytes() const { return bytes_; }

 private:
  MemoryCharge charge_;
  std::byte* bytes_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace dsi::internal
