// Back from the codes of windows to the places of lists (spec D-013): what a reader does, and the
// writer to learn where the chains of its pool end.
//
// Everything D-013 forbids is refused here, so that nothing behind has to look again: a window lies
// inside one chain, chains follow each other, and every entry of the pool belongs to a window.
// Thread safety: functions are pure. No allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/dedup/tiers_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

// The chains of a pool, one after another; a view.
class Chains {
 public:
  Chains() = default;
  // `bounds`: where each begins, and behind the last the end of the pool. Empty: no chain.
  explicit Chains(std::span<const uint32_t> bounds) : bounds_(bounds) {}
  size_t size() const { return bounds_.empty() ? 0 : bounds_.size() - 1; }
  PoolRange operator[](size_t i) const { return {bounds_[i], bounds_[i + 1]}; }

 private:
  std::span<const uint32_t> bounds_;
};

// How many chains the codes begin. Both spans have the same size.
size_t CountChains(std::span<const uint32_t> codes, std::span<const uint32_t> lengths);

// How far windows are from the ends of their chains, at most.
struct WindowReach {
  uint64_t to_begin = 0;
  uint64_t to_end = 0;
  // The reach of D-014, from the newest end.
  uint64_t Of(bool newest_first) const { return newest_first ? to_begin : to_end; }
};

// Codes to starts, one per unique row; rows of length 0 get 0. `bounds` becomes that of the chains.
// Preconditions: codes, lengths and starts have the same size, bounds has CountChains + 1; lengths
// are below 2^31. kCorrupt: what D-013 forbids, and a pool of 2^32 values (F-090); starts and
// bounds are then meaningless. Cost: a few ns a row; a search of the chains where a list comes back
// to an old one.
Result<WindowReach> PlaceWindows(std::span<const uint32_t> codes, std::span<const uint32_t> lengths,
                                 uint64_t num_values, std::span<uint64_t> starts,
                                 std::span<uint32_t> bounds);

}  // namespace dsi::internal
