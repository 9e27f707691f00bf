// Hashes of candidates' rows while groups are sought, kept for whoever asks next: each row is read
// once, however many keys it is compared under. Hashes alone tell rows apart here: whoever stores a
// group compares its rows again.
//
// Thread safety: Make alone, const calls from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/change_bits_internal.h"
#include "dsi/dedup/find_groups_internal.h"

namespace dsi::internal {

class RowHashes {
 public:
  struct Column {
    uint32_t candidate = 0;
    const ChangeBits* changes = nullptr;  // Rows that differ from the row before.
  };

  RowHashes(std::span<const GroupCandidate> candidates, size_t num_rows)
      : candidates_(candidates), num_rows_(num_rows), of_(candidates.size()) {}

  // Keeps the hashes of these columns, but for what is beyond kMostGroupHashBytes.
  Status Make(std::span<const Column> columns, const ForEach& for_each);
  // As HashRows gives them; empty where none are kept.
  std::span<const uint64_t> Of(uint32_t candidate) const { return of_[candidate]; }

  // The rows that differ in any of these candidates. Cost: a look-up for each row and, where no
  // hashes are kept, a hash for each row and candidate.
  UniqueRows Number(std::span<const uint32_t> members) const;

 private:
  std::span<const GroupCandidate> candidates_;
  size_t num_rows_;
  uint64_t bytes_ = 0;
  std::vector<std::vector<uint64_t>> of_;
};

}  // namespace dsi::internal
