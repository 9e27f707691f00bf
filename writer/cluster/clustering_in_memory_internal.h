// Puts rows in order that are few enough: keys are numbered, then rows counted into their places.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/cluster/row_list_internal.h"

namespace dsi::internal {

// Keys of one level, numbered in the order of their first rows.
class KeyNumbers {
 public:
  KeyNumbers();

  // The number of the key with this hash, of a row and of the key outside of it.
  uint32_t Number(const std::byte* hash, int64_t time, uint32_t outer);
  // Places of the keys: by those of the keys outside, then by their first times, then by number.
  std::vector<uint32_t> Rank(const std::vector<uint32_t>& outer_ranks) const;

 private:
  struct Key {
    uint64_t hash[2];
    int64_t first_time;
    uint32_t outer;
  };

  void Grow();

  std::vector<Key> keys_;
  std::vector<uint32_t> slots_;  // Numbers of keys, plus one; 0: free.
  uint32_t last_ = 0;            // The key of the row before.
};

class ClusteringInMemory {
 public:
  // Bytes that it takes, at most, beside the list.
  static uint64_t Bytes(size_t num_levels, uint64_t num_rows);

  ClusteringInMemory(size_t num_levels, size_t num_rows);

  // Records of all rows, in the order of input.
  void Add(const std::byte* record);
  // Appends the rows in order.
  Status Finish(RowList* list);

 private:
  struct Row {
    int64_t time;
    uint32_t key;  // Of the innermost level.
    uint32_t bytes;
    uint32_t fresh_bytes;
  };

  std::vector<uint32_t> PlaceRows(std::vector<uint32_t>* ends) const;

  std::vector<KeyNumbers> levels_;
  std::vector<Row> rows_;
};

}  // namespace dsi::internal
