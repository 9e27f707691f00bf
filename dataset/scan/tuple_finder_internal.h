// Tuples of unique rows that occur in a piece: what transforms of features of several groups run
// on.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {

// Tuples of one combination of groups.
struct TupleGroup {
  uint32_t num_unique = 0;
  bool is_whole = false;            // Tuple i is unique row i of the only group.
  std::span<const uint32_t> slots;  // Per row: its tuple.
  std::vector<uint32_t> own_slots;
  std::vector<uint32_t> touched;  // 0, 1, 2, …
  // Per group of the file that it is of: the unique row of each tuple; none where it is whole.
  std::vector<std::vector<uint32_t>> members;

  uint64_t bytes() const;  // Held; kept for the next piece.
};

class TupleFinder {
 public:
  // `of`: groups of the file, ascending. Tuples are numbered by first use, but for those of one
  // group alone. `rows`: the rows of the piece as those of a group whose unique rows are tuples.
  void Find(const BatchPiece& piece, std::span<const uint32_t> of, TupleGroup* group,
            GroupRows* rows);
  uint64_t bytes() const;

 private:
  void AddMember(size_t at, std::span<const uint32_t> slots, TupleGroup* group);

  std::vector<uint32_t> table_;           // Of tuples met.
  std::vector<uint32_t> before_, fresh_;  // Of these: the tuple split, the row added.
};

}  // namespace dsi::internal
