#include "dsi/codecs/scratch_internal.h"

#include <zstd.h>

#include <algorithm>

namespace dsi::internal {

DecodeScratch::State::~State() { ZSTD_freeDCtx(decompressor); }

DecodeScratch::DecodeScratch() : state_(std::make_unique<State>()) {}
DecodeScratch::~DecodeScratch() = default;
DecodeScratch::DecodeScratch(DecodeScratch&&) noexcept = default;
DecodeScratch& DecodeScratch::operator=(DecodeScratch&&) noexcept = default;

BorrowedBuffer::BorrowedBuffer(DecodeScratch::State* state) : state_(state) {
  if (state->borrowed == state->buffers.size()) {
    state->buffers.push_back(std::make_unique<DecodeScratch::State::Buffer>());
  }
  buffer_ = state->buffers[state->borrowed++].get();
}

std::byte* BorrowedBuffer::Reserve(size_t size) {
  if (buffer_->capacity < size || buffer_->bytes == nullptr) {
    // Doubling bounds the number of times that a stream of growing pages allocates.
    const size_t capacity = std::max({size, buffer_->capacity * 2, size_t{4096}});
    buffer_->bytes.reset();
    buffer_->capacity = 0;
    buffer_->bytes = std::make_unique_for_overwrite<std::byte[]>(capacity);
    buffer_->capacity = capacity;
  }
  return buffer_->bytes.get();
}

}  // namespace dsi::internal
