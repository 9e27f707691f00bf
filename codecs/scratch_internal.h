// Memory of a decoder: a stack of buffers that keep their size from page to page, and a
// decompressor.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/base/memory_budget_internal.h"

struct ZSTD_DCtx_s;

namespace dsi::internal {

struct DecodeScratch::State {
  struct Buffer {
    explicit Buffer(MemoryBudget* budget) : charge(budget) {}
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    std::byte* bytes = nullptr;  // Aligned to 64.
    size_t capacity = 0;
    MemoryCharge charge;
  };

  explicit State(MemoryBudget* memory) : budget(memory) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  MemoryBudget* const budget;  // Null: nobody counts.
  std::vector<std::unique_ptr<Buffer>> buffers;
  size_t borrowed = 0;                  // Buffers in use: the first ones.
  ZSTD_DCtx_s* decompressor = nullptr;  // Made by the first compressed node.
};

// Borrows the next buffer of a scratch for the lifetime of this object. Borrowing nests like the
// calls do, so the same place in the same kind of node meets the same buffer again.
class BorrowedBuffer {
 public:
  explicit BorrowedBuffer(DecodeScratch::State* state);
  ~BorrowedBuffer() { --state_->borrowed; }
  BorrowedBuffer(const BorrowedBuffer&) = delete;
  BorrowedBuffer& operator=(const BorrowedBuffer&) = delete;

  // At least `size` bytes, aligned to 8; contents are undefined. May be called again, which may
  // move. Throws std::bad_alloc, and OverBudget where they do not fit the budget.
  std::byte* Reserve(size_t size);

 private:
  DecodeScratch::State* state_;
  DecodeScratch::State::Buffer* buffer_;
};

}  // namespace dsi::internal
