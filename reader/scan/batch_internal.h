// What stands behind a Batch: one slab of memory and the places of the tensors in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dsi/reader/batch.h"
#include "dsi/reader/scan/projection_internal.h"

namespace dsi::internal {

// Places of one output in the slab, in bytes from its start. What a layout does not have stays
// unused.
struct OutputPlace {
  uint64_t values = 0;
  uint64_t lengths = 0;  // Padded, VBE, KJT.
  uint64_t offsets = 0;  // Jagged, IKJT, VBE, KJT.
  uint64_t present = 0;
  uint64_t inverse = 0;      // VBE.
  uint64_t num_values = 0;   // Jagged, IKJT, VBE, KJT: entries.
  uint64_t first_value = 0;  // VBE, KJT: entries of its set before it.
};

// One dense matrix or KeyedJaggedTensor. In that the places of its outputs lie one after another.
struct SetPlace {
  uint64_t values = 0;
  uint64_t present = 0;  // Dense.
  // VBE, KJT.
  uint64_t lengths = 0;
  uint64_t offsets = 0;
  uint64_t inverse = 0;   // VBE.
  uint64_t num_rows = 0;  // Of all keys.
  std::vector<int32_t> stride_per_key;
  std::vector<int64_t> length_per_key;
  std::vector<int64_t> offset_per_key;
};

struct BatchState {
  explicit BatchState(SlabAllocator* from) : allocator(from) {}
  ~BatchState() { FreeSlab(); }
  // Room for `size` bytes, whose content is new. Grows geometrically, to `max_size` unless `size`
  // is more. kResourceExhausted, kInvalidArgument.
  Status ReserveSlab(uint64_t size, uint64_t max_size);
  std::byte* At(uint64_t place) const { return slab + place; }
  void Clear();

  SlabAllocator* const allocator;
  std::byte* slab = nullptr;
  uint64_t capacity = 0;
  uint64_t used = 0;

  std::shared_ptr<const ScanProjection> projection;  // Null: nothing in it.
  size_t num_rows = 0;
  uint64_t first_row = 0;
  std::vector<OutputPlace> outputs;   // Parallel to ScanProjection::outputs.
  std::vector<uint64_t> inverse;      // Parallel to ScanProjection::groups: place of the inverse.
  std::vector<uint64_t> num_unique;   // Parallel to groups: unique rows that the batch touches.
  std::vector<SetPlace> sets;         // Parallel to ScanProjection::sets.
  std::vector<uint64_t> row_numbers;  // Empty: rows follow each other.

 private:
  void FreeSlab();
};

struct BatchAccess {
  // Made when it is first asked for. Throws std::bad_alloc.
  static BatchState* State(Batch* batch) {
    if (batch->state_ == nullptr) batch->state_ = std::make_unique<BatchState>(batch->allocator_);
    return batch->state_.get();
  }
  static SlabAllocator* Allocator(const Batch& batch) { return batch.allocator_; }
  // Of batches with one allocator.
  static void Swap(Batch* a, Batch* b) { std::swap(a->state_, b->state_); }
  static void Clear(Batch* batch) {
    if (batch->state_ != nullptr) batch->state_->Clear();
  }
};

}  // namespace dsi::internal
