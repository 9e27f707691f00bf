// The pool while windows are being found: chains of overlapping lists, one after another; the last
// one is open and grows at both ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {

// A place in the pool: a coordinate in a chain, 0 where the chain's first list started. Stays valid
// while the chain grows in front.
struct PoolPlace {
  uint32_t chain = 0;
  int32_t at = 0;
};

class WindowPool {
 public:
  explicit WindowPool(const FeatureRows& column);

  uint32_t open_chain() const { return static_cast<uint32_t>(chains_.size()) - 1; }
  int64_t begin(uint32_t chain) const { return chains_[chain].begin; }
  int64_t end(uint32_t chain) const { return chains_[chain].end; }

  // Entries that a list of `count` entries of the source, from `start` on, shares with a chain when
  // it is laid at place.at: all of the overlap is equal, and only the open chain may be passed at
  // its ends. 0 where that does not hold.
  size_t Overlap(PoolPlace place, uint64_t start, size_t count) const;

  // Lays a list there, which Overlap allowed, and extends the open chain by what is new.
  void Extend(PoolPlace place, uint64_t start, size_t count);
  // Closes the open chain and starts one with this list.
  PoolPlace Append(uint64_t start, size_t count);

  // Closes the last chain; after that places have positions.
  void Close();
  uint64_t Position(PoolPlace place) const {
    return static_cast<uint64_t>(chains_[place.chain].origin + place.at);
  }
  uint64_t num_values() const { return static_cast<uint64_t>(size_); }
  std::vector<std::vector<std::byte>> TakeValues();

 private:
  struct Chain {
    int64_t origin = 0;  // Position of coordinate 0.
    int64_t begin = 0;   // Coordinates [begin, end) are filled.
    int64_t end = 0;
  };
  struct Values {
    const std::byte* source = nullptr;
    size_t width = 8;
    std::vector<std::byte> pool;  // Longer than what is filled.
  };

  void MakeRoom(int64_t end);
  void MakeRoomInFront(int64_t count);
  void Copy(uint64_t start, size_t count, int64_t position);

  std::vector<Values> columns_;
  std::vector<Chain> chains_;
  int64_t size_ = 0;      // End of the closed chains.
  int64_t capacity_ = 0;  // Entries that the pool vectors hold.
};

}  // namespace dsi::internal
