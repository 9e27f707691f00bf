// A batch of rows as tensors: padded, jagged, still deduplicated (IKJT), or one dense matrix. All
// tensors of a batch lie in one slab of memory.
//
// Ownership: the Batch owns the slab and hands out views, valid until the next Scan::Next into it
// or its destruction. Reuse one Batch for a whole scan: once its slab has grown to the largest
// batch nothing is allocated any more. Every tensor starts at a multiple of 64 bytes. Thread
// safety: one thread at a time writes; const use from many threads is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/export.h"
#include "dsi/format/status.h"
#include "dsi/format/types.h"

namespace dsi {

// Takes the memory of a batch; for memory that the caller owns (pinned, shared). Called when the
// slab must grow.
class DSI_EXPORT SlabAllocator {
 public:
  virtual ~SlabAllocator();
  // At least `size` bytes aligned to 64, or null (the batch then fails with kResourceExhausted).
  virtual void* Allocate(size_t size) = 0;
  virtual void Free(void* slab, size_t size) = 0;
};

// [rows, width] values, row-major. `lengths[i]` of them are real, at the left or the right as
// asked; the rest is the pad value. A missing row has length 0 and present[i] = 0 (an empty list:
// length 0, present 1).
struct PaddedView {
  const void* values = nullptr;
  Type dtype = Type::kInt64;
  size_t rows = 0;
  size_t width = 0;
  const int32_t* lengths = nullptr;  // [rows]
  const uint8_t* present = nullptr;  // [rows]
};

// values[offsets[i], offsets[i + 1]) is row i.
struct JaggedView {
  const void* values = nullptr;
  Type dtype = Type::kInt64;
  size_t rows = 0;
  size_t num_values = 0;
  const int64_t* offsets = nullptr;  // [rows + 1], offsets[0] = 0
  const uint8_t* present = nullptr;  // [rows]
};

// Unique rows of a dedup group and, shared by all features of the group, which of them each batch
// row is.
struct IkjtView {
  JaggedView unique;  // unique.rows unique rows that the batch touches, in order of first use.
  const int32_t* inverse = nullptr;  // [batch rows], each in [0, unique.rows)
};

// [rows, columns] of the dense features asked for, row-major, in the order of the projection.
struct DenseView {
  const void* values = nullptr;
  Type dtype = Type::kFloat32;
  size_t rows = 0;
  size_t columns = 0;
  const uint8_t* present = nullptr;  // [rows, columns]
};

namespace internal {
struct BatchAccess;
struct BatchState;
}  // namespace internal

class DSI_EXPORT Batch {
 public:
  explicit Batch(
      SlabAllocator* allocator = nullptr);  // Null: the heap. The allocator must outlive the batch.
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  size_t num_rows() const;
  uint64_t first_row() const;  // Row of the file where the batch starts.

  // Views by column name as projected ("user.clicks", "history.item"). kNotFound: not projected;
  // kInvalidArgument: asked for in another layout.
  Result<PaddedView> Padded(std::string_view column) const;
  Result<JaggedView> Jagged(std::string_view column) const;
  Result<IkjtView> Ikjt(std::string_view column) const;
  Result<DenseView> Dense() const;

  // The slab, for one copy to a device.
  std::span<const std::byte> slab() const;

 private:
  friend struct internal::BatchAccess;
  std::unique_ptr<internal::BatchState> state_;
};

}  // namespace dsi
