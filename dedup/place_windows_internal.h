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

// The lowest start of a row that has entries; UINT32_MAX: none has. Both spans have the same size.
uint32_t LowestStart(std::span<const uint32_t> starts, std::span<const uint32_t> lengths);

// Starts counted from `begin`, which is none of their rows' behind; 0 where there are no entries.
// Returns where the rows end, at least `begin`. Preconditions: places and lengths have the same
// size and are those of a pool of less than 2^32 values.
uint64_t StartsFrom(uint32_t begin, std::span<const uint32_t> places,
                    std::span<const uint32_t> lengths, uint64_t* starts);

// The places of rows with their lengths, as PackPlace has them; those of empty rows are 0.
void PackPlaces(std::span<const uint32_t> places, std::span<const uint32_t> lengths,
                uint64_t* packed);

// What an array of bounds has room for beside those of the chains: the end of the pool, and what is
// written behind by four and overwritten.
constexpr size_t kBoundsSlack = 4;

// How far windows are from the ends of their chains, at most.
struct WindowReach {
  uint64_t to_begin = 0;
  uint64_t to_end = 0;
  // The reach of D-014, from the newest end.
  uint64_t Of(bool newest_first) const { return newest_first ? to_begin : to_end; }
};

// What windows have filled so far.
struct WindowFront {
  int64_t limit = 0;  // Values of the pool.
  // Of the newest chain, which begins at `begin`, windows have filled [low, frontier).
  int64_t begin = 0;
  int64_t low = 0;
  int64_t frontier = 0;
  int64_t lowest_end = 0;  // Of its windows.
  int64_t before = 0;      // Start of the last list.
  int64_t to_begin = 0;
  int64_t to_end = 0;
  size_t num_chains = 0;
};

// Codes to starts, some rows after the other, so that what is done with them finds them in cache.
class WindowPlacer {
 public:
  // `want_reach`: Finish tells it. kCorrupt: a pool of 2^32 values (F-090).
  Status Start(uint64_t num_values, bool want_reach);
  // The next unique rows; those of length 0 get start 0. `bounds`, the same array for all rows (it
  // may have moved with what is in it), has room for the chains up to these rows and kBoundsSlack.
  // Preconditions: as those of PlaceWindows. kCorrupt: what D-013 forbids; starts and bounds are
  // then meaningless.
  Status Place(std::span<const uint32_t> codes, std::span<const uint32_t> lengths, uint32_t* starts,
               uint32_t* bounds);
  // All rows are placed.
  Result<WindowReach> Finish(uint32_t* bounds) const;

 private:
  Status PlaceOne(size_t row, uint32_t code, uint32_t num_entries, uint32_t* out, uint32_t* bounds);

  WindowFront front_;
  bool want_reach_ = false;
  size_t row_ = 0;
  size_t hint_ = 0;  // The chain that a list came back to last.
};

// The same at once. `bounds` becomes that of the chains, followed by slack. Preconditions: codes,
// lengths and starts have the same size, bounds has CountChains + kBoundsSlack; lengths are below
// 2^31. Cost: a ns a row; more where a list comes back to an old chain, which is searched for.
Result<WindowReach> PlaceWindows(std::span<const uint32_t> codes, std::span<const uint32_t> lengths,
                                 uint64_t num_values, std::span<uint32_t> starts,
                                 std::span<uint32_t> bounds);

}  // namespace dsi::internal
