#include "dsi/reader/decode/scan_buffer_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/base/block_memory_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {

ScanBuffer::~ScanBuffer() { Release(); }

Status ScanBuffer::Reserve(uint64_t size, uint64_t keep) {
  const uint64_t wanted = size + kSlack;
  if (wanted <= capacity_) return Status::Ok();
  // Both blocks stand side by side where something is kept.
  const uint64_t free = budget_->left() + (keep == 0 ? capacity_ : 0);
  uint64_t capacity = BlockBytes(std::max(wanted, capacity_ + capacity_ / 2));
  if (capacity > free) capacity = BlockBytes(wanted);
  if (capacity > free) return budget_->Refusal(capacity).At("decoded rows");
  if (keep == 0) Release();
  size_t block_capacity = 0;
  std::byte* const grown = AllocateBlock(capacity, &block_capacity);
  if (grown == nullptr)
    return Error(StatusCode::kResourceExhausted, "no memory for {} bytes of decoded rows",
                 capacity);
  if (keep != 0) std::memcpy(grown, data_, keep);
  Release();
  data_ = grown;
  block_capacity_ = block_capacity;
  budget_->Count(capacity);
  capacity_ = capacity;
  return Status::Ok();
}

void ScanBuffer::Release() {
  FreeBlock(data_, block_capacity_);
  budget_->Give(capacity_);
  data_ = nullptr;
  capacity_ = block_capacity_ = 0;
}

}  // namespace dsi::internal
