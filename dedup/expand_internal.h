// From unique rows back to rows: the kernels that fill a batch.
//
// Kernels check nothing that their caller can check once per stripe: the preconditions stated here
// must already hold, whatever a file claimed. In short: every slot is below the number of unique
// rows, and every unique row's [start, start + length) lies inside the pool (spec D-001, D-011). An
// empty pool may be null.
// Thread safety: functions are pure; a BatchUnique belongs to one thread. No allocation but in
// BatchUnique::Reset. SIMD is chosen at run time; the output is the same on every CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

// Start and length of a unique row in one word, for pools of fewer than 2^32 values.
constexpr uint64_t PackPlace(uint32_t start, uint32_t length) {
  return start | uint64_t{length} << 32;
}
constexpr uint64_t StartOfPlace(uint64_t place) { return place & 0xFFFFFFFF; }
constexpr uint32_t LengthOfPlace(uint64_t place) { return static_cast<uint32_t>(place >> 32); }

// The decoded values of one column over the unique rows of a stripe.
// Preconditions: starts[u] + lengths[u] <= num_values for every unique row u; width is 1, 2, 4
// or 8; `narrow` is not 0 for a width of 4 or 8 alone, and leaves a byte at least.
struct ValuePool {
  const std::byte* values = nullptr;
  uint64_t num_values = 0;
  int width = 8;   // Bytes of a value where it is written.
  int narrow = 0;  // Of it the lowest `width >> narrow` are held in `values`: the others are 0.
  const uint64_t* starts = nullptr;   // Per unique row, in values.
  const uint32_t* lengths = nullptr;  // Per unique row; 0 for missing and for empty.
  const uint8_t* present = nullptr;   // Per unique row; null where nobody asks for it.
  size_t slack_bytes = 0;             // Behind the values that may be read.
  // In place of `starts`, or null: what PackPlace says of each unique row, for slots in any order.
  // A row far from the one before costs one line of the cache rather than two.
  const uint64_t* places = nullptr;

  uint64_t Start(size_t slot) const {
    return places != nullptr ? StartOfPlace(places[slot]) : starts[slot];
  }
  // Without the first unique rows.
  ValuePool From(size_t first) const {
    ValuePool rest = *this;
    if (starts != nullptr) rest.starts += first;
    if (lengths != nullptr) rest.lengths += first;
    if (present != nullptr) rest.present += first;
    if (places != nullptr) rest.places += first;
    return rest;
  }
};

struct PadOptions {
  uint32_t row_length = 0;  // L: values per output row.
  uint64_t pad_bits = 0;    // The low `width` bytes are the pad value.
  bool pad_left = false;    // Pads stand before the values rather than after them.
  bool keep_last = false;   // A longer row keeps its last L values rather than its first L.
};

// Where padded rows go; only `values` must be there.
struct PaddedRows {
  std::byte* values = nullptr;
  int32_t* kept = nullptr;     // Per row: how many of it are values, at most L.
  uint8_t* present = nullptr;  // Per row, as the pool has it.
  bool past_cache = false;     // So much is written that none of it should stay in the cache.
};

// Writes slots.size() rows of L values each: exactly slots.size() × L × width bytes, which must not
// overlap the pool and need no alignment. Row i is unique row slots[i]. Returns the entries of all
// these rows before they are cut.
uint64_t PadRows(const ValuePool& pool, std::span<const uint32_t> slots, const PadOptions& options,
                 const PaddedRows& out);

// The same for unique rows first, first + 1, …, first + count - 1.
uint64_t PadRowRange(const ValuePool& pool, uint32_t first, size_t count, const PadOptions& options,
                     const PaddedRows& out);

// Where jagged rows go; only `values` must be there.
struct JaggedRows {
  std::byte* values = nullptr;
  uint64_t room = 0;  // Values that may be written there, what is overwritten later included.
  int64_t* offsets = nullptr;  // One more than rows: `base`, then the end of each row.
  int64_t base = 0;
  uint8_t* present = nullptr;  // Per row, as the pool has it.
};

// Copies the values of unique rows slots[0], slots[1], … one after another; returns how many.
// Precondition: there is room for them. What is beyond them in the room may be written, too.
uint64_t GatherRows(const ValuePool& pool, std::span<const uint32_t> slots, const JaggedRows& out);

// The same for unique rows 0, 1, …, count - 1.
uint64_t GatherRowRange(const ValuePool& pool, size_t count, const JaggedRows& out);

// One value per row: out[i] = values[slots[i]], for features decoded to one value per unique row.
// Preconditions: every slot is below num_values; values and out are aligned to `width`, which is 1,
// 2, 4 or 8.
void ExpandScalars(const std::byte* values, size_t num_values, int width,
                   std::span<const uint32_t> slots, std::byte* out);

// A place in a sequence of runs: so many rows into run `run`.
struct RunPosition {
  size_t run = 0;
  uint32_t row_in_run = 0;
};

// Run lengths (spec D-001, form 1) to the unique row of each of inverse.size() rows from `from` on.
// Returns the position after them. Preconditions: every run length >= 1, and the runs from `from`
// on cover at least that many rows.
RunPosition RunsToInverse(std::span<const uint32_t> run_lengths, RunPosition from,
                          std::span<uint32_t> inverse);

// New-row bits (spec D-001, form 2) to unique rows: inverse[i] = ones_before + (ones among the
// first i + 1 bits) - 1. Preconditions: bits are 0 or 1, the first row's of the stripe is 1, and
// inverse has room for bits.size() values. Returns ones_before + all ones.
uint32_t BitsToInverse(std::span<const uint8_t> bits, uint32_t ones_before, uint32_t* inverse);

// Places of the ones: first + i for each bits[i] that is not 0, ascending. Returns how many.
// Precondition: places has room for bits.size() values.
size_t OnesToPlaces(std::span<const uint8_t> bits, uint32_t first, uint32_t* places);

// Renumbers the unique rows that a batch touches by first use. The table has an entry per unique
// row of the stripe, stamped with the batch that wrote it, so nothing is hashed and nothing cleared
// between batches.
class BatchUnique {
 public:
  explicit BatchUnique(MemoryBudget* budget = nullptr) : entries_(budget) {}

  // Makes room for slots below num_unique and forgets all batches. Allocates only when a stripe has
  // more unique rows than any before. Throws std::bad_alloc. `each_once`: no slot comes twice, so
  // that no table is needed; where one does all the same, it gets two numbers.
  void Reset(uint32_t num_unique, bool each_once = false);

  // inverse[i] = number of slots[i] among the distinct slots of this batch; unique[n] = the slot
  // that has number n. Both have room for slots.size() values. Returns how many are distinct.
  // Precondition: every slot is below num_unique.
  size_t Renumber(std::span<const uint32_t> slots, uint32_t* inverse, uint32_t* unique);

 private:
  struct Entry {
    uint32_t epoch = 0;
    uint32_t number = 0;
  };
  CountedVector<Entry> entries_;
  uint32_t epoch_ = 0;
  bool each_once_ = false;
};

// The same for slots that never fall, of which equal ones stand together: no table is needed.
size_t RenumberAscending(std::span<const uint32_t> slots, uint32_t* inverse, uint32_t* unique);

// Shape codes of lists (spec D-010: 0 missing, n + 1) to lengths, to the place of each row's first
// value and to 1 for each present row; returns the number of values. *greatest is the greatest
// code, also of those refused. Refuses as damage a code above 2^31 (spec F-090) and a total above
// `max_values`. All outputs have room for codes.size() values.
Result<uint64_t> ShapesToStarts(std::span<const uint32_t> codes, uint64_t max_values,
                                uint32_t* lengths, uint64_t* starts, uint8_t* present,
                                uint32_t* greatest);

// The same for kinds without lengths (0 missing, 1 present: the codes say which are): a present row
// has `entries_per_row` values, 1 or an embedding's length. Refuses other codes.
Result<uint64_t> ShapesToStarts(std::span<const uint8_t> codes, uint32_t entries_per_row,
                                uint64_t max_values, uint32_t* lengths, uint64_t* starts,
                                uint32_t* greatest);

// Of lists the lengths alone, and 1 for each present row; returns the greatest code. Both outputs
// have room for codes.size() values.
uint32_t ShapesToLengths(std::span<const uint32_t> codes, uint32_t* lengths, uint8_t* present);

}  // namespace dsi::internal
