// A batch of rows as tensors: padded, jagged, still deduplicated (IKJT, VBE), KeyedJaggedTensors,
// dense matrices.
// All tensors of a batch lie in one slab of memory.
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

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/format/types.h"

namespace dsi {

// Takes the memory of a batch; for memory that the caller owns (pinned, shared). Called when the
// slab must grow.
class DSI_EXPORT SlabAllocator {
 public:
  virtual ~SlabAllocator();
  // At least `size` bytes aligned to 64, or null (the batch then fails with kResourceExhausted, as
  // it does where this throws; memory aligned to less is kInvalidArgument).
  virtual void* Allocate(size_t size) = 0;
  // `size` as asked for. What it throws is lost.
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

// Unique rows padded, so that a model runs its dense part once per unique row and spreads the
// result with `inverse` (index_select). unique.rows differs from batch to batch.
struct PaddedIkjtView {
  PaddedView unique;                 // As IkjtView::unique, padded.
  const int32_t* inverse = nullptr;  // [batch rows], each in [0, unique.rows)
};

// F features over unique rows as one TorchRec KeyedJaggedTensor with a variable batch per key:
//
//     KeyedJaggedTensor(keys=keys, values=values, lengths=lengths,
//                       stride_per_key_per_rank=stride_per_key.reshape(-1, 1),
//                       inverse_indices=(keys, inverse_indices),
//                       length_per_key=…, offset_per_key=…)
//
// Everything is key-major: all of key 0, then key 1, … Key f has stride_per_key[f] unique rows:
// those of its dedup group that the batch touches, in order of first use, as in IkjtView. A missing
// row is as an empty one, since TorchRec knows no other. A feature that is not deduplicated has B
// unique rows. What TorchRec keeps on the host lies beside the slab. TorchRec's operators take
// values of int32, int64 and floats: ask for them as dtype.
struct VbeView {
  std::span<const std::string> keys;  // [F] columns of the set, as projected.
  size_t rows = 0;                    // B
  const void* values = nullptr;       // [num_values]
  Type dtype = Type::kInt64;
  size_t num_values = 0;
  const void* lengths = nullptr;             // [num_unique]
  const void* offsets = nullptr;             // [num_unique + 1] Over all keys, offsets[0] = 0.
  Type lengths_dtype = Type::kInt32;         // And of offsets: as ScanOptions::kjt_lengths.
  size_t num_unique = 0;                     // Sum of stride_per_key.
  const int64_t* inverse_indices = nullptr;  // [F, B], each in [0, stride_per_key[f])
  std::span<const int32_t> stride_per_key;   // [F] Host memory, not in the slab.
  std::span<const int64_t> length_per_key;   // [F] Values per key. Host.
  std::span<const int64_t> offset_per_key;   // [F + 1] Where each key's values start. Host.
};

// F features over all B rows as one TorchRec KeyedJaggedTensor, expanded:
//
//     KeyedJaggedTensor(keys=keys, values=values, lengths=lengths, offsets=offsets, stride=rows,
//                       length_per_key=…, offset_per_key=…)
//
// Everything is key-major: row r of key f is values[offsets[f * B + r], offsets[f * B + r + 1]),
// and has lengths[f * B + r] entries. A missing row is as an empty one, since TorchRec knows no
// other; a single number is one entry. What TorchRec keeps on the host lies beside the slab.
struct KjtView {
  std::span<const std::string> keys;  // [F] columns of the set, as projected.
  size_t rows = 0;                    // B
  const void* values = nullptr;       // [num_values]
  Type dtype = Type::kInt64;
  size_t num_values = 0;
  const void* lengths = nullptr;            // [F * B]
  const void* offsets = nullptr;            // [F * B + 1] Over all keys, offsets[0] = 0.
  Type lengths_dtype = Type::kInt32;        // And of offsets: as ScanOptions::kjt_lengths.
  std::span<const int64_t> length_per_key;  // [F] Values per key. Host memory, not in the slab.
  std::span<const int64_t> offset_per_key;  // [F + 1] Where each key's values start. Host.
};

// [rows, columns] of the dense features of one set, row-major, in the order of the projection.
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

// Nothing throws. A batch that was moved from is an empty one with the same allocator.
class DSI_EXPORT Batch {
 public:
  // Takes no memory yet. Null: the heap. The allocator must outlive the batch.
  explicit Batch(SlabAllocator* allocator = nullptr) noexcept;
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  size_t num_rows() const noexcept;
  uint64_t first_row() const noexcept;  // Row of the file where the batch starts.
  // Per row of the batch its row of the file, ascending; empty without a filter, where they are
  // first_row(), first_row() + 1, … Not in the slab.
  std::span<const uint64_t> row_numbers() const noexcept;

  // Views by column name as projected ("user.clicks", "history.item"). kNotFound: not projected;
  // kInvalidArgument: asked for in another layout, or there is no batch yet.
  Result<PaddedView> Padded(std::string_view column) const;
  Result<JaggedView> Jagged(std::string_view column) const;
  Result<IkjtView> Ikjt(std::string_view column) const;
  Result<PaddedIkjtView> PaddedIkjt(std::string_view column) const;
  // The same by ordinal, a position in Scan::columns(): no name is looked up. kNotFound: no such
  // position.
  Result<PaddedView> Padded(size_t ordinal) const;
  Result<JaggedView> Jagged(size_t ordinal) const;
  Result<IkjtView> Ikjt(size_t ordinal) const;
  Result<PaddedIkjtView> PaddedIkjt(size_t ordinal) const;
  // The columns projected with Layout::kDense, kVbe, kKjt and this Projection::set. kNotFound: none
  // was; kInvalidArgument: there is no batch yet.
  Result<DenseView> Dense(std::string_view set = {}) const;
  Result<VbeView> Vbe(std::string_view set = {}) const;
  Result<KjtView> Kjt(std::string_view set = {}) const;

  // The slab, for one copy to a device.
  std::span<const std::byte> slab() const noexcept;

 private:
  friend struct internal::BatchAccess;
  SlabAllocator* allocator_;
  std::unique_ptr<internal::BatchState> state_;
};

}  // namespace dsi
