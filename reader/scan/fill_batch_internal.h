// From decoded unique rows to the tensors of a batch, in two passes: how big everything is, then
// filling it.
//
// A batch may hold rows of several stripes: one piece each. Pieces are advanced (decoded, checked)
// before anything here is called; nothing here can fail but memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/reader/scan/batch_internal.h"
#include "dsi/reader/scan/gathered_rows_internal.h"
#include "dsi/reader/scan/picked_rows_internal.h"
#include "dsi/reader/scan/piece_map_internal.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"

namespace dsi::internal {

// Rows of a batch that lie in one stripe; those that a filter dropped do not count.
struct BatchPiece {
  StripeDecoder* decoder = nullptr;
  GatheredRows* gathered = nullptr;    // Where the rows lie far apart: they are no longer there.
  const PickedRows* picked = nullptr;  // Not all of them.
  uint32_t first = 0;                  // Row of the batch where they start.
  uint32_t num_rows = 0;
  // Where the file's projection is not that of the batch.
  const PieceMap* map = nullptr;
  const AbsentRows* absent = nullptr;
  const DerivedRows* derived = nullptr;
  // The same rows in an overlay, whose groups, shapes and values are numbered on behind this
  // piece's own, of which there are so many.
  const BatchPiece* beside = nullptr;
  uint32_t num_groups = 0, num_shapes = 0, num_values = 0;

  const GroupRows& group(uint32_t i) const {
    if (map != nullptr && (i = map->groups[i]) >= PieceMap::kDerived)
      return i == kNone32 ? absent->group() : derived->groups[i - PieceMap::kDerived];
    return own_group(i);
  }
  const ShapeView& shape(uint32_t i) const {
    if (map != nullptr && (i = map->shapes[i]) >= PieceMap::kDerived)
      return i == kNone32 ? absent->shape() : derived->shapes[i - PieceMap::kDerived];
    return own_shape(i);
  }
  Result<ShapeView> ShapeArrays(uint32_t i) const {
    if (map != nullptr && (i = map->shapes[i]) >= PieceMap::kDerived)
      return i == kNone32 ? absent->shape() : derived->shapes[i - PieceMap::kDerived];
    return own_arrays(i);
  }
  ValuesView values(uint32_t i) const {
    if (map != nullptr && (i = map->values[i]) >= PieceMap::kDerived)
      return i == kNone32 ? ValuesView{} : derived->values[i - PieceMap::kDerived];
    return own_values(i);
  }

  // Unique rows of the group stay where they are for as long as the stripe is read.
  bool own_is_general(uint32_t i) const {
    if (beside != nullptr && i >= num_groups) return beside->own_is_general(i - num_groups);
    return decoder->is_general(i);
  }
  // By position in the projection of the file, and then of its overlays.
  const GroupRows& own_group(uint32_t i) const {
    if (beside != nullptr && i >= num_groups) return beside->own_group(i - num_groups);
    if (picked != nullptr) return picked->group(i);
    return gathered != nullptr ? gathered->group(i) : decoder->group(i);
  }
  const ShapeView& own_shape(uint32_t i) const {
    if (beside != nullptr && i >= num_shapes) return beside->own_shape(i - num_shapes);
    return gathered != nullptr ? gathered->shape(i) : decoder->shape(i);
  }
  Result<ShapeView> own_arrays(uint32_t i) const {
    if (beside != nullptr && i >= num_shapes) return beside->own_arrays(i - num_shapes);
    return gathered != nullptr ? gathered->ShapeArrays(i) : decoder->ShapeArrays(i);
  }
  ValuesView own_values(uint32_t i) const {
    if (beside != nullptr && i >= num_values) return beside->own_values(i - num_values);
    return gathered != nullptr ? gathered->values(i) : decoder->values(i);
  }
};

// Rows of a part where an output has two for each thread: who is done early takes more of them.
inline uint64_t RowsOfPart(uint64_t num_rows, size_t num_threads) {
  return num_rows / (2 * num_threads) + 1;
}

// Rows of an output with lists, or of unique rows, that one thread counts and fills.
struct ListPart {
  uint32_t output = 0;
  uint32_t piece = 0;
  uint32_t begin = 0;  // [begin, end) of the rows of the piece, or of the unique ones it touches.
  uint32_t end = 0;
  uint64_t first_row = 0;  // Of the output.
  bool is_last = false;    // Of the output.
  uint64_t entries = 0;
  uint64_t first_entry = 0;  // Of the output.
};

// Cuts all outputs with lists but padded ones, in their order, and rows in theirs, and counts the
// entries of each part. Adds to stats.values_expanded what FillBatch does not.
Status CutLists(const ScanProjection& projection, std::span<const BatchPiece> pieces,
                WorkerTeam* team, std::vector<ListPart>* parts, ScanStats* stats);

// Decides where everything lies and makes room. `lists`, which were counted, are told where their
// entries start. `max_bytes` bounds the slab: what is left of the scan's memory.
Status LayOutBatch(const ScanProjection& projection, std::span<const BatchPiece> pieces,
                   size_t num_rows, uint64_t max_bytes, std::span<ListPart> lists,
                   BatchState* batch);

// Rows of dense columns before they are woven into the matrix; reused.
struct DenseScratch {
  std::vector<std::byte> columns;
  std::vector<uint8_t> present;
};

// A piece of work of FillBatch: rows [begin, end) of the batch.
struct FillPart {
  enum class What : uint8_t { kPadded, kList, kVbeInverse, kInverse, kDense };
  What what = What::kPadded;
  uint32_t at = 0;  // Position in the projection's outputs, groups, or sets, or in the lists.
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct FillScratch {
  std::vector<ListPart> lists;
  std::vector<FillPart> parts;
  std::vector<DenseScratch> dense;  // One for each of the team.
};

// Fills the laid-out tensors, the lists of `scratch` among them. Adds to stats.values_expanded.
Status FillBatch(const ScanProjection& projection, std::span<const BatchPiece> pieces,
                 size_t num_rows, WorkerTeam* team, FillScratch* scratch, ScanStats* stats,
                 BatchState* batch);

// Both passes, with what they need from batch to batch.
class BatchFiller {
 public:
  explicit BatchFiller(MemoryBudget* budget) : budget_(budget), slab_(budget) {}
  // Fills all but the numbers of the rows; counts the batch.
  Status Fill(const std::shared_ptr<const ScanProjection>& projection,
              std::span<const BatchPiece> pieces, size_t num_rows, WorkerTeam* team,
              ScanStats* stats, BatchState* batch);

 private:
  MemoryBudget* budget_;
  // As far as this scan asked for it: what a batch brings along is its owner's.
  MemoryCharge slab_;
  FillScratch scratch_;
};

// Values of `width` bytes and where rows have theirs. `shape`: with its arrays, but for who looks
// at none of them.
ValuePool ValuePoolOf(const ValuesView& values, const ShapeView& shape, size_t width);

// Padded to one number per row, or keyed, and none missing: no arrays of the shape are looked at.
bool IsOneNumber(const ScanOutput& output, const ShapeView& shape);

// As PadRowRange and GatherRowRange, for a sparse view; the pool needs no arrays. `ends`: the end
// of the last row is written.
uint64_t PadPresentRows(const ShapeView& shape, const ValuePool& pool, uint32_t first, size_t count,
                        const PadOptions& options, const PaddedRows& out);
void CopyPresentRows(const ShapeView& shape, const ValuePool& pool, bool ends,
                     const JaggedRows& out);

// The part of FillBatch that is rows [begin, end) of the batch of a padded output. Returns the
// entries of these rows before they are cut. Writes nothing but the output's own places and reads
// what LayOutBatch made ready, so that threads may do outputs and rows apart.
Result<uint64_t> FillPaddedRows(const ScanProjection& projection, uint32_t at,
                                std::span<const BatchPiece> pieces, uint32_t begin, uint32_t end,
                                BatchState* batch);
// The same for a part of a list. `alone`: no other thread fills parts of its output meanwhile.
// Returns entries as FillPaddedRows, of unique rows where they are deduplicated.
Result<uint64_t> FillList(const ScanProjection& projection, const ListPart& part,
                          std::span<const BatchPiece> pieces, bool alone, BatchState* batch);

// The part of FillBatch that is rows [begin, end) of the dense matrix `set`, a position in sets.
void FillDense(const ScanProjection& projection, uint32_t set, std::span<const BatchPiece> pieces,
               uint32_t begin, uint32_t end, DenseScratch* scratch, BatchState* batch);

}  // namespace dsi::internal
