#include "dsi/codecs/scratch_internal.h"

#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "dsi/base/block_memory_internal.h"

namespace dsi::internal {

DecodeScratch::State::Buffer::~Buffer() { FreeBlock(bytes, capacity); }

DecodeScratch::State::~State() { ZSTD_freeDCtx(decompressor); }

DecodeScratch::DecodeScratch(MemoryBudget* budget) : state_(std::make_unique<State>(budget)) {}
DecodeScratch::~DecodeScratch() = default;
DecodeScratch::DecodeScratch(DecodeScratch&&) noexcept = default;
DecodeScratch& DecodeScratch::operator=(DecodeScratch&&) noexcept = default;

BorrowedBuffer::BorrowedBuffer(DecodeScratch::State* state) : state_(state) {
  if (state->borrowed == state->buffers.size()) {
    state->buffers.push_back(std::make_unique<DecodeScratch::State::Buffer>(state->budget));
  }
  buffer_ = state->buffers[state->borrowed++].get();
}

std::byte* BorrowedBuffer::Reserve(size_t size) {
  if (buffer_->capacity < size || buffer_->bytes == nullptr) {
    // Doubling bounds the number of times that a stream of growing pages allocates.
    size_t capacity = BlockBytes(std::max({size, buffer_->capacity * 2, size_t{4096}}));
    FreeBlock(std::exchange(buffer_->bytes, nullptr), std::exchange(buffer_->capacity, 0));
    buffer_->charge.Set(0);
    if (state_->budget != nullptr) {
      if (capacity > state_->budget->left()) capacity = BlockBytes(size);
      if (capacity > state_->budget->left()) throw OverBudget(capacity, *state_->budget);
      buffer_->charge.Set(capacity);
    }
    buffer_->bytes = AllocateBlock(capacity, &buffer_->capacity);
    if (buffer_->bytes == nullptr) throw std::bad_alloc();
  }
  return buffer_->bytes;
}

}  // namespace dsi::internal
